#include "common/io/zip_directory.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/io/file_error.hpp"
#include "common/io/utf8.hpp"
#include "common/io/zip_end.hpp"
#include "common/io/zip_format.hpp"

namespace bert {

namespace {

class ZipReader {
  public:
    explicit ZipReader(const InputFile& file) : file_(file) {}

    std::vector<ZipEntry> read() {
        const ZipEnd directory = read_zip_end(file_);
        const std::string bytes = file_.read(directory.offset, directory.size);
        std::string_view rest = bytes;
        std::vector<ZipEntry> entries;
        for (std::uint64_t i = 0; i < directory.entries; ++i) {
            where_ = "entry " + std::to_string(i);
            entries.push_back(take_entry(rest));
            open_local(entries.back(), directory.offset);
        }
        where_ = "zip directory";
        if (!rest.empty()) fail("bytes after its entries", rest.size(), 0);
        require_disjoint(entries);
        return entries;
    }

  private:
    [[noreturn]] void fail(const std::string& what, const std::string& found,
                           const std::string& expected) const {
        throw FileError{file_.path(), where_, what, found, expected};
    }
    [[noreturn]] void fail(const std::string& what, std::uint64_t found,
                           std::uint64_t expected) const {
        fail(what, std::to_string(found), std::to_string(expected));
    }
    void require_equal(const std::string& what, std::uint64_t found, std::uint64_t expected) const {
        if (found != expected) fail(what, found, expected);
    }

    ZipEntry take_entry(std::string_view& rest) {
        if (rest.size() < zip_central_bytes) {
            fail("directory ends", rest.size(), zip_central_bytes);
        }
        const std::string_view fixed = rest.substr(0, zip_central_bytes);
        require_equal("signature", zip_u32(fixed, 0), zip_central_signature);
        const std::size_t name_size = zip_u16(fixed, 28);
        const std::size_t extra_size = zip_u16(fixed, 30);
        const std::size_t bytes = zip_central_bytes + name_size + extra_size + zip_u16(fixed, 32);
        if (rest.size() < bytes) fail("directory ends", rest.size(), bytes);
        ZipEntry entry;
        entry.name = checked_name(rest.substr(zip_central_bytes, name_size));
        where_ = "entry " + entry.name;
        require_plain(zip_u16(fixed, 8), zip_u16(fixed, 10));
        require_equal("disk number", zip_u16(fixed, 34), 0);
        entry.crc = zip_u32(fixed, 16);
        entry.size = zip_u32(fixed, 24);
        entry.header = zip_u32(fixed, 42);
        std::uint64_t packed = zip_u32(fixed, 20);
        fill_from_zip64(rest.substr(zip_central_bytes + name_size, extra_size),
                        {&entry.size, &packed, &entry.header});
        require_equal("stored size", packed, entry.size);
        rest.remove_prefix(bytes);
        return entry;
    }

    std::string checked_name(std::string_view name) const {
        if (name.empty() || name.size() > zip_max_name) {
            fail("length of the name", std::to_string(name.size()), "1 to 1004");
        }
        const bool control = std::any_of(name.begin(), name.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == '\x7F';
        });
        if (control || !utf8_to_code_points(name)) {
            fail("its name", "other bytes", "UTF-8 without control characters");
        }
        return std::string{name};
    }

    void require_plain(std::uint16_t flags, std::uint16_t method) const {
        if (method == 8) {
            fail("compressed entries are not read", "deflate",
                 "stored ones, as numpy.savez writes them");
        }
        require_equal("compression method", method, 0);
        if ((flags & ~(zip_flag_sizes_follow | zip_flag_utf8)) != 0) {
            fail("encrypted, or of an unknown kind", "flags " + std::to_string(flags), "0");
        }
    }

    // The zip64 field holds, in this order, those of the values that are full.
    void fill_from_zip64(std::string_view extra, std::vector<std::uint64_t*> values) const {
        std::string_view numbers;
        while (extra.size() >= 4) {
            const std::size_t size = zip_u16(extra, 2);
            if (size > extra.size() - 4) fail("extra field", size, extra.size() - 4);
            if (zip_u16(extra, 0) == zip64_extra) numbers = extra.substr(4, size);
            extra.remove_prefix(4 + size);
        }
        for (std::uint64_t* const value : values) {
            if (*value != zip_full_32) continue;
            if (numbers.size() < 8) fail("zip64 field", numbers.size(), 8);
            *value = zip_u64(numbers, 0);
            numbers.remove_prefix(8);
        }
    }

    // Finds the data behind the local header, which must say what the directory says.
    void open_local(ZipEntry& entry, std::uint64_t end) const {
        if (entry.header > end || end - entry.header < zip_local_bytes) {
            fail("offset", std::to_string(entry.header), "a place before the directory");
        }
        const std::string fixed = file_.read(entry.header, zip_local_bytes);
        require_equal("local signature", zip_u32(fixed, 0), zip_local_signature);
        require_plain(zip_u16(fixed, 6), zip_u16(fixed, 8));
        const std::uint64_t name_size = zip_u16(fixed, 26);
        const std::uint64_t variable = name_size + zip_u16(fixed, 28);
        if (variable > end - entry.header - zip_local_bytes) {
            fail("local header reaches", variable, end - entry.header - zip_local_bytes);
        }
        const std::string tail = file_.read(entry.header + zip_local_bytes, variable);
        if (std::string_view{tail}.substr(0, name_size) != entry.name) {
            fail("local name", "another one", "the same");
        }
        entry.data = entry.header + zip_local_bytes + variable;
        if (entry.size > end - entry.data) {
            fail("size", std::to_string(entry.size), "at most " + std::to_string(end - entry.data));
        }
        if ((zip_u16(fixed, 6) & zip_flag_sizes_follow) != 0) return;
        std::uint64_t size = zip_u32(fixed, 22);
        std::uint64_t packed = zip_u32(fixed, 18);
        fill_from_zip64(std::string_view{tail}.substr(name_size), {&size, &packed});
        require_equal("local check sum", zip_u32(fixed, 14), entry.crc);
        require_equal("local size", size, entry.size);
        require_equal("local stored size", packed, entry.size);
    }

    void require_disjoint(const std::vector<ZipEntry>& entries) const {
        std::vector<const ZipEntry*> order;
        for (const ZipEntry& entry : entries)
            order.push_back(&entry);
        std::sort(order.begin(), order.end(),
                  [](const auto* a, const auto* b) { return a->header < b->header; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (order[i - 1]->data + order[i - 1]->size > order[i]->header) {
                fail("entries overlap", order[i - 1]->name + " and " + order[i]->name,
                     "bytes of their own");
            }
        }
    }

    const InputFile& file_;
    std::string where_;
};

}  // namespace

std::vector<ZipEntry> read_zip_directory(const InputFile& file) {
    return ZipReader{file}.read();
}

}  // namespace bert
