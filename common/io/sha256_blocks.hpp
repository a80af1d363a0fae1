// The inner part of SHA-256: blocks of 64 bytes into a state of eight words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bert {

using Sha256State = std::array<std::uint32_t, 8>;

constexpr std::size_t sha256_block_bytes = 64;

/// Plain C++, for every processor.
void add_sha256_blocks(Sha256State& state, const unsigned char* bytes, std::size_t blocks);

/// The same with the instructions that many x86 processors have for it, several times as fast;
/// false, and nothing done, where they are missing.
bool add_sha256_blocks_fast(Sha256State& state, const unsigned char* bytes, std::size_t blocks);

}  // namespace bert
