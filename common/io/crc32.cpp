#include "common/io/crc32.hpp"

#include <array>
#include <cstddef>

#include "common/io/little_endian.hpp"

namespace bert {

namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: what byte b, followed by k zero bytes, adds to the CRC.
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc % 2 == 1 ? 0xEDB88320U : 0U);
        tables[0][byte] = crc;
    }
    for (std::size_t k = 1; k < tables.size(); ++k) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t crc = tables[k - 1][byte];
            tables[k][byte] = crc >> 8 ^ tables[0][crc & 0xFFU];
        }
    }
    return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32(std::uint32_t before, std::string_view bytes) {
    std::uint32_t crc = ~before;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        // Eight bytes a step: their parts are independent look-ups, joined by exclusive or.
        const std::uint64_t block = get_little_endian<std::uint64_t>(bytes) ^ crc;
        crc = 0;
        for (std::size_t k = 0; k < 8; ++k)
            crc ^= tables[7 - k][block >> (8 * k) & 0xFFU];
    }
    for (const char c : bytes) {
        crc = crc >> 8 ^ tables[0][(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
    }
    return ~crc;
}

}  // namespace bert
