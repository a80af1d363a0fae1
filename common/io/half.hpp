// Numbers of 16 bits. Half precision (IEEE 754): 1 sign bit, 5 exponent bits, 10 fraction bits.
// bfloat16: the upper half of a float, so 1, 8 and 7 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace bert {

/// The bits of the half nearest to x, ties to the even one; infinity from 65520 on.
std::uint16_t half_bits(double x);

/// The number that these bits stand for, exactly; a NaN keeps its sign and fraction bits.
float half_value(std::uint16_t bits);

/// The bits of the bfloat16 nearest to x, ties to the even one; a NaN stays one.
std::uint16_t bfloat16_bits(double x);

/// The number that these bits stand for, exactly, a NaN with its bits.
inline float bfloat16_value(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace bert
