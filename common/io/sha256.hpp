// SHA-256 (FIPS 180-4): 32 bytes that tell one file from every other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/io/sha256_blocks.hpp"

namespace bert {

/// The sum of bytes that come in parts.
class Sha256 {
  public:
    void add(std::string_view bytes);
    /// 64 hexadecimal digits in lower case. Once, after the last part.
    std::string digits();

  private:
    Sha256State state_{0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                       0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
    std::array<unsigned char, sha256_block_bytes> waiting_{};  // the beginning of a block
    std::uint64_t total_ = 0;                                  // bytes so far
};

std::string sha256(std::string_view bytes);

/// The sum of a regular file, read in parts of 1 MiB. Throws as InputFile does.
std::string sha256_of_file(const std::string& path);

}  // namespace bert
