// The check sum of zip files: CRC-32 with the polynomial 0xEDB88320, bits reversed.
#pragma once

#include <cstdint>
#include <string_view>

namespace bert {

/// The CRC of some bytes followed by these, where `before` is the CRC of the former (0: none).
std::uint32_t crc32(std::uint32_t before, std::string_view bytes);

}  // namespace bert
