// The form of .safetensors files: 8 bytes with the length N of the header, N bytes of JSON with
// each tensor's type, shape and place, and then the tensors' bytes, without a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// The element types of the format; each name is the one in the header. Larger ones come last.
enum class SafetensorsType {
    BOOL,
    F4,
    F6_E2M3,
    F6_E3M2,
    U8,
    I8,
    F8_E5M2,
    F8_E4M3,
    F8_E8M0,
    F8_E4M3FNUZ,
    F8_E5M2FNUZ,
    I16,
    U16,
    F16,
    BF16,
    I32,
    U32,
    F32,
    C64,
    F64,
    I64,
    U64
};

std::string_view to_string(SafetensorsType type);

/// The size of one element: 4, 6, 8, 16, 32 or 64.
std::size_t bits_of(SafetensorsType type);

struct SafetensorsEntry {
    std::string name;
    SafetensorsType type = SafetensorsType::F32;
    Shape shape;
    std::uint64_t begin = 0;  // of its bytes, counted from the end of the header
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::map<std::string, std::string> metadata;  // "__metadata__"
    std::vector<SafetensorsEntry> entries;        // in the order of their bytes
    std::uint64_t data = 0;                       // where the first tensor's bytes lie in the file
};

constexpr std::uint64_t safetensors_header_limit = 100'000'000;
constexpr std::size_t safetensors_tensor_limit = 100'000;
constexpr std::size_t safetensors_rank_limit = 8;

/// The number of bytes of so many elements. Throws std::length_error when 64 bits cannot hold it,
/// whichever dimension is 0, and std::invalid_argument when it is no whole number of bytes.
std::uint64_t safetensors_bytes(SafetensorsType type, const Shape& shape);

/// The header of a file with these bytes; `path` is for the errors. Throws FileError unless the
/// header is strict JSON (strict_json.hpp) of at most 100 MB, every tensor has its type, shape and
/// offsets that fit each other, together they cover the rest of the file exactly, without gap or
/// overlap, and there are at most 100,000 of rank 8 or less, without control characters in their
/// names. A file that is something else, such as a Git LFS pointer, is called by its name. The
/// tensors' bytes are not looked at.
SafetensorsHeader parse_safetensors_header(const std::string& path, std::string_view file);

}  // namespace bert
