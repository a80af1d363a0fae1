// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw (Parallel Random
// Numbers: As Easy as 1, 2, 3; SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace bert {

/// Four random words, a pure function of counter and key: ten rounds of
///
///     (c0, c1, c2, c3) <- (high(B c2) ^ c1 ^ k0, low(B c2), high(A c0) ^ c3 ^ k1, low(A c0))
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

}  // namespace bert
