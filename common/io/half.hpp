// IEEE 754 half-precision numbers: 1 sign bit, 5 exponent bits, 10 fraction bits.
#pragma once

#include <cstdint>

namespace bert {

/// The bits of the half nearest to x, ties to the even one; infinity from 65520 on.
std::uint16_t half_bits(double x);

/// The number that these bits stand for, exactly.
float half_value(std::uint16_t bits);

}  // namespace bert
