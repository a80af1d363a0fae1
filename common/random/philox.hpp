// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw (Parallel Random
// Numbers: As Easy as 1, 2, 3; SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace bert {

/// Four random words, a pure function of counter and key: ten rounds of
///
///     (c0, c1, c2, c3) <- (high(B c2) ^ c1 ^ k0, low(B c2), high(A c0) ^ c3 ^ k1, low(A c0))
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
    constexpr std::uint64_t multiplier_a = 0xD2511F53;
    constexpr std::uint64_t multiplier_b = 0xCD9E8D57;
    constexpr std::uint32_t key_step_0 = 0x9E3779B9;  // the golden ratio
    constexpr std::uint32_t key_step_1 = 0xBB67AE85;  // sqrt(3) - 1
    constexpr int rounds = 10;
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t a = multiplier_a * counter[0];
        const std::uint64_t b = multiplier_b * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(a)};
        key[0] += key_step_0;
        key[1] += key_step_1;
    }
    return counter;
}

}  // namespace bert
