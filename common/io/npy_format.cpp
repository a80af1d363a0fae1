#include "common/io/npy_format.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

#include "common/io/file_error.hpp"
#include "common/io/little_endian.hpp"
#include "common/io/npy_dictionary.hpp"

namespace bert {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;

// The product of the dimensions that are not zero, so that their order hides no overflow, or
// nothing beyond the address range; 0 afterwards if one is zero.
bool count_bytes(const NpyHeader& header, std::uint64_t& bytes) {
    constexpr std::uint64_t limit = std::numeric_limits<std::ptrdiff_t>::max() / 2;
    bool empty = false;
    bytes = npy_item_size(header.dtype);
    for (const std::size_t size : header.shape) {
        empty = empty || size == 0;
        if (size == 0) continue;
        if (bytes > limit / size) return false;
        bytes *= size;
    }
    if (empty) bytes = 0;
    return true;
}

}  // namespace

std::size_t npy_item_size(std::string_view dtype) {
    if (dtype == "|u1" || dtype == "|b1") return 1;
    if (dtype == "<f2") return 2;
    if (dtype == "<f4" || dtype == "<i4") return 4;
    if (dtype == "<f8" || dtype == "<i8") return 8;
    if (!dtype.starts_with("<U")) return 0;
    std::uint32_t length = 0;
    const char* const end = dtype.data() + dtype.size();
    const auto [stop, error] = std::from_chars(dtype.data() + 2, end, length);
    constexpr std::uint32_t longest = (1U << 31) / 4 - 1;  // NumPy's own limit: 2^31 bytes
    if (error != std::errc{} || stop != end || dtype[2] == '0' || length > longest) return 0;
    return std::size_t{4} * length;
}

std::string npy_header_text(const std::string& dtype, const Shape& shape) {
    std::string dictionary = "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis > 0) dictionary += ", ";
        dictionary += std::to_string(shape[axis]);
    }
    dictionary += shape.size() == 1 ? ",), }" : "), }";
    const std::size_t prefix = magic.size() + 4;  // magic word, version, length
    const std::size_t used = prefix + dictionary.size() + 1;
    dictionary.append((alignment - used % alignment) % alignment, ' ');
    dictionary += '\n';

    std::string text{magic};
    text += '\x01';  // version 1.0
    text += '\x00';
    append_little_endian(text, static_cast<std::uint16_t>(dictionary.size()));
    return text + dictionary;
}

NpyHeader parse_npy_header(const std::string& path, const std::string& where,
                           std::string_view beginning, std::uint64_t total) {
    const auto fail = [&](const std::string& what, const std::string& found,
                          const std::string& expected) {
        throw FileError{path, where, what, found, expected};
    };
    if (beginning.size() < 12) {
        fail("too short for an npy array", std::to_string(total) + " bytes", "12 or more");
    }
    if (!beginning.starts_with(magic)) fail("not an npy array", "other bytes", "\\x93NUMPY");
    const auto major = static_cast<unsigned char>(beginning[6]);
    if (major < 1 || major > 3 || beginning[7] != 0) {
        fail("npy version",
             std::to_string(major) + "." + std::to_string(static_cast<unsigned char>(beginning[7])),
             "1.0, 2.0 or 3.0");
    }
    const std::size_t prefix = major == 1 ? 10 : 12;
    const std::size_t length =
        major == 1 ? get_little_endian<std::uint16_t>(beginning.substr(8))
                   : std::size_t{get_little_endian<std::uint32_t>(beginning.substr(8))};
    const std::size_t room = beginning.size() - prefix;
    if (length == 0 || length > room) {
        fail("npy header length", std::to_string(length), "1 to " + std::to_string(room));
    }
    NpyHeader header = parse_npy_dictionary(path, where, beginning.substr(prefix, length));
    header.bytes = prefix + length;
    std::uint64_t bytes = 0;
    if (!count_bytes(header, bytes)) {
        fail("shape is too large", to_string(header.shape), "fewer than 2^62 bytes");
    }
    if (bytes != total - header.bytes) {
        fail("data of " + header.dtype + " " + to_string(header.shape),
             std::to_string(total - header.bytes) + " bytes", std::to_string(bytes));
    }
    return header;
}

}  // namespace bert
