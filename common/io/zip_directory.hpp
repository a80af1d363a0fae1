// What a zip archive holds and where: the central directory at its end, with or without zip64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/input_file.hpp"

namespace bert {

/// A stored entry; its bytes are [data, data + size) of the archive.
struct ZipEntry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;
    std::uint64_t data = 0;
};

/// The entries in the order of the directory. Throws FileError unless the archive is one piece with
/// nothing behind it, every entry is stored and plain, agrees with its local header, and overlaps
/// neither another one nor the directory. Names are UTF-8 without control characters.
std::vector<ZipEntry> read_zip_directory(const InputFile& file);

}  // namespace bert
