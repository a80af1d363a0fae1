// The records of a zip archive of stored entries, as bytes; zip64 where a number needs it.
#pragma once

#include <cstdint>
#include <string>

#include "common/io/zip_directory.hpp"

namespace bert {

/// What stands before an entry's bytes: they then begin at a multiple of 64. Uses name, crc, size
/// and header, the place where these bytes go.
std::string zip_local_header(const ZipEntry& entry);

/// The entry's line of the central directory.
std::string zip_central_header(const ZipEntry& entry);

/// The end of an archive whose central directory has `count` entries, fewer than 65535, and is
/// [offset, offset + size).
std::string zip_end(std::uint64_t count, std::uint64_t offset, std::uint64_t size);

}  // namespace bert
