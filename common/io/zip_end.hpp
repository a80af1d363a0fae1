// The end of a zip archive, which tells where its directory is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/io/input_file.hpp"
#include "common/io/little_endian.hpp"

namespace bert {

/// The directory is [offset, offset + size) and has a line for each entry.
struct ZipEnd {
    std::uint64_t entries = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

/// Throws FileError unless the file ends in an end record, with or without zip64, that places the
/// directory right before it, gives every entry at least its 46 bytes, and tells of one disk.
ZipEnd read_zip_end(const InputFile& file);

/// Numbers at a place in a record.
inline std::uint16_t zip_u16(std::string_view record, std::size_t at) {
    return get_little_endian<std::uint16_t>(record.substr(at));
}
inline std::uint32_t zip_u32(std::string_view record, std::size_t at) {
    return get_little_endian<std::uint32_t>(record.substr(at));
}
inline std::uint64_t zip_u64(std::string_view record, std::size_t at) {
    return get_little_endian<std::uint64_t>(record.substr(at));
}

}  // namespace bert
