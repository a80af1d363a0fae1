#include "common/io/zip_end.hpp"

#include <algorithm>
#include <string>

#include "common/io/file_error.hpp"
#include "common/io/zip_format.hpp"

namespace bert {

namespace {

class ZipEndReader {
  public:
    explicit ZipEndReader(const InputFile& file) : file_(file) {}

    // The last record of the archive, and before it, where that one is full, the zip64 records.
    ZipEnd read() {
        where_ = "zip end";
        if (file_.size() < zip_end_bytes) fail("not a zip archive", file_.size(), zip_end_bytes);
        std::uint64_t end = file_.size() - zip_end_bytes;
        const std::string record = file_.read(end, zip_end_bytes);
        if (zip_u32(record, 0) != zip_end_signature || zip_u16(record, 20) != 0) {
            fail("not a zip archive, or cut off", "other bytes", "an end record");
        }
        require_equal("disk number", zip_u16(record, 4) | zip_u16(record, 6), 0);
        require_equal("entries on this disk", zip_u16(record, 8), zip_u16(record, 10));
        ZipEnd directory{zip_u16(record, 10), zip_u32(record, 16), zip_u32(record, 12)};
        if (directory.entries == zip_full_16 || directory.offset == zip_full_32 ||
            directory.size == zip_full_32) {
            directory = read_zip64_end(end);
        }
        if (directory.entries > npz_max_entries) {
            fail("too many entries", std::to_string(directory.entries),
                 "at most " + std::to_string(npz_max_entries));
        }
        if (directory.offset > end || directory.size != end - directory.offset) {
            fail("directory of " + std::to_string(directory.size) + " bytes ends elsewhere",
                 directory.offset, end - std::min(end, directory.size));
        }
        // Each entry has a local and a central header, so this bounds the memory for them.
        if (directory.entries > directory.size / zip_central_bytes ||
            directory.size > directory.entries * max_central_bytes) {
            fail(
                "directory size does not fit its " + std::to_string(directory.entries) + " entries",
                std::to_string(directory.size),
                "46 to " + std::to_string(max_central_bytes) + " bytes each");
        }
        return directory;
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

    ZipEnd read_zip64_end(std::uint64_t& end) {
        where_ = "zip64 end";
        if (end < zip64_locator_bytes + zip64_end_bytes) fail("missing", end, 76);
        end -= zip64_locator_bytes;
        const std::string locator = file_.read(end, zip64_locator_bytes);
        require_equal("locator", zip_u32(locator, 0), zip64_locator_signature);
        end -= zip64_end_bytes;
        require_equal("offset", zip_u64(locator, 8), end);
        const std::string record = file_.read(end, zip64_end_bytes);
        require_equal("signature", zip_u32(record, 0), zip64_end_signature);
        require_equal("record size", zip_u64(record, 4), zip64_end_bytes - 12);
        require_equal("disk number", zip_u32(record, 16) | zip_u32(record, 20), 0);
        require_equal("entries on this disk", zip_u64(record, 24), zip_u64(record, 32));
        return {zip_u64(record, 32), zip_u64(record, 48), zip_u64(record, 40)};
    }

    static constexpr std::uint64_t max_central_bytes = 2048;

    const InputFile& file_;
    std::string where_;
};

}  // namespace

ZipEnd read_zip_end(const InputFile& file) {
    return ZipEndReader{file}.read();
}

}  // namespace bert
