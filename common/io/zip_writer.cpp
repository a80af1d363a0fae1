#include "common/io/zip_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/io/little_endian.hpp"
#include "common/io/zip_format.hpp"

namespace bert {

namespace {

constexpr std::size_t alignment = 64;

std::uint32_t clipped(std::uint64_t x) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(x, zip_full_32));
}

// What local and central headers share, from "version needed" to the length of the name.
void append_common(std::string& bytes, const ZipEntry& entry, bool zip64) {
    const bool ascii = std::all_of(entry.name.begin(), entry.name.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    constexpr std::uint16_t first_day = 0x0021;  // 1980-01-01
    append_little_endian<std::uint16_t>(bytes, zip64 ? 45 : 20);
    append_little_endian<std::uint16_t>(bytes, ascii ? 0 : zip_flag_utf8);
    append_little_endian<std::uint16_t>(bytes, 0);  // stored
    append_little_endian<std::uint16_t>(bytes, 0);  // midnight
    append_little_endian(bytes, first_day);
    append_little_endian(bytes, entry.crc);
    append_little_endian(bytes, clipped(entry.size));
    append_little_endian(bytes, clipped(entry.size));
    append_little_endian(bytes, static_cast<std::uint16_t>(entry.name.size()));
}

void append_zip64(std::string& extra, const std::vector<std::uint64_t>& numbers) {
    append_little_endian(extra, zip64_extra);
    append_little_endian(extra, static_cast<std::uint16_t>(8 * numbers.size()));
    for (const std::uint64_t number : numbers)
        append_little_endian(extra, number);
}

std::string zip64_end(std::uint64_t count, std::uint64_t offset, std::uint64_t size) {
    std::string bytes;
    append_little_endian(bytes, zip64_end_signature);
    append_little_endian<std::uint64_t>(bytes, zip64_end_bytes - 12);
    append_little_endian<std::uint16_t>(bytes, 45);
    append_little_endian<std::uint16_t>(bytes, 45);
    append_little_endian<std::uint64_t>(bytes, 0);  // this disk, the directory's disk
    for (const std::uint64_t number : {count, count, size, offset}) {
        append_little_endian(bytes, number);
    }
    append_little_endian(bytes, zip64_locator_signature);
    append_little_endian<std::uint32_t>(bytes, 0);
    append_little_endian<std::uint64_t>(bytes, offset + size);
    append_little_endian<std::uint32_t>(bytes, 1);  // disks
    return bytes;
}

}  // namespace

std::string zip_local_header(const ZipEntry& entry) {
    std::string extra;
    // Both sizes, as the format asks of a local header.
    if (entry.size >= zip_full_32) append_zip64(extra, {entry.size, entry.size});
    // A field of zeros that moves the array to a multiple of 64 bytes.
    constexpr std::uint16_t padding_field = 0xD935;
    const std::uint64_t used =
        entry.header + zip_local_bytes + entry.name.size() + extra.size() + 4;
    const std::uint64_t padding = (alignment - used % alignment) % alignment;
    append_little_endian(extra, padding_field);
    append_little_endian(extra, static_cast<std::uint16_t>(padding));
    extra.append(static_cast<std::size_t>(padding), '\0');

    std::string bytes;
    append_little_endian(bytes, zip_local_signature);
    append_common(bytes, entry, entry.size >= zip_full_32);
    append_little_endian(bytes, static_cast<std::uint16_t>(extra.size()));
    return bytes + entry.name + extra;
}

std::string zip_central_header(const ZipEntry& entry) {
    std::vector<std::uint64_t> numbers;
    if (entry.size >= zip_full_32) numbers = {entry.size, entry.size};
    if (entry.header >= zip_full_32) numbers.push_back(entry.header);
    std::string extra;
    if (!numbers.empty()) append_zip64(extra, numbers);

    std::string bytes;
    append_little_endian(bytes, zip_central_signature);
    append_little_endian<std::uint16_t>(bytes, 45);  // made by version 4.5 of the format
    append_common(bytes, entry, !numbers.empty());
    append_little_endian(bytes, static_cast<std::uint16_t>(extra.size()));
    append_little_endian<std::uint16_t>(bytes, 0);  // comment
    append_little_endian<std::uint16_t>(bytes, 0);  // disk
    append_little_endian<std::uint16_t>(bytes, 0);  // binary data
    append_little_endian<std::uint32_t>(bytes, 0);  // attributes
    append_little_endian(bytes, clipped(entry.header));
    return bytes + entry.name + extra;
}

std::string zip_end(std::uint64_t count, std::uint64_t offset, std::uint64_t size) {
    std::string bytes;
    if (offset >= zip_full_32 || size >= zip_full_32) {
        bytes = zip64_end(count, offset, size);
    }
    const auto entries = static_cast<std::uint16_t>(count);
    append_little_endian(bytes, zip_end_signature);
    append_little_endian<std::uint32_t>(bytes, 0);  // this disk, the directory's disk
    append_little_endian(bytes, entries);
    append_little_endian(bytes, entries);
    append_little_endian(bytes, clipped(size));
    append_little_endian(bytes, clipped(offset));
    append_little_endian<std::uint16_t>(bytes, 0);  // comment
    return bytes;
}

}  // namespace bert
