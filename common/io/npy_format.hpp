// The .npy format, version 1 to 3: a magic word, a header that is a Python dictionary in text, and
// the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/tensor/tensor.hpp"

namespace bert {

/// What a header says, and where the numbers begin.
struct NpyHeader {
    std::string dtype;  // "<f4": byte order, kind, size
    Shape shape;
    std::size_t bytes = 0;  // length of magic word and header
};

constexpr std::size_t npy_max_rank = 8;

/// The longest beginning of a file that can belong to the header.
constexpr std::size_t npy_header_limit = 12 + 65535;

/// Magic word and header, filled with blanks to a multiple of 64 bytes.
std::string npy_header_text(const std::string& dtype, const Shape& shape);

/// Reads the header from the beginning of an array of `total` bytes: its first
/// min(total, npy_header_limit) ones. Throws FileError naming path and `where` unless the header is
/// well formed, C order, of a known little-endian dtype, of at most eight dimensions, and asks for
/// exactly the bytes that follow it.
NpyHeader parse_npy_header(const std::string& path, const std::string& where,
                           std::string_view beginning, std::uint64_t total);

/// Bytes of one element; 0 for a dtype that the project does not read.
std::size_t npy_item_size(std::string_view dtype);

}  // namespace bert
