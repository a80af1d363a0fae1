#include "common/io/half.hpp"

#include <bit>
#include <cmath>

namespace bert {

std::uint16_t half_bits(double x) {
    constexpr int fraction_bits = 52;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000U);
    const int exponent = static_cast<int>(bits >> fraction_bits & 0x7FFU) - 1023;
    if (std::isnan(x)) return sign | 0x7E00U;
    if (exponent > 15) return sign | 0x7C00U;
    if (exponent < -25) return sign;  // below half of the least subnormal, 2^-24

    const std::uint64_t one = 1;
    const std::uint64_t mantissa = (bits & ((one << fraction_bits) - 1)) | one << fraction_bits;
    // Subnormal halves keep fewer bits: their unit stays 2^-24.
    const int dropped = 42 + (exponent < -14 ? -14 - exponent : 0);
    std::uint64_t kept = mantissa >> dropped;
    const std::uint64_t rest = mantissa & ((one << dropped) - 1);
    const std::uint64_t middle = one << (dropped - 1);
    if (rest > middle || (rest == middle && kept % 2 == 1)) ++kept;
    // `kept` holds the leading one, which adds 1 to the exponent field; so does a carry.
    const int field = exponent < -14 ? 0 : exponent + 14;
    return static_cast<std::uint16_t>(sign + static_cast<unsigned>(field) * 1024U + kept);
}

float half_value(std::uint16_t bits) {
    const int field = bits >> 10 & 0x1F;
    const int fraction = bits & 0x3FF;
    float size = std::ldexp(static_cast<float>(fraction), -24);
    if (field == 31) {
        size = std::bit_cast<float>(0x7F800000U | static_cast<std::uint32_t>(fraction) << 13);
    } else if (field > 0) {
        size = std::ldexp(static_cast<float>(1024 + fraction), field - 25);
    }
    return (bits & 0x8000U) != 0 ? -size : size;
}

std::uint16_t bfloat16_bits(double x) {
    constexpr int dropped = 16;
    if (std::isnan(x)) return static_cast<std::uint16_t>(std::signbit(x) ? 0xFFC0U : 0x7FC0U);
    // Rounded once: a float between x and the result would round ties twice. What the float loses
    // (rounded to odd) is kept as its last bit, which no tie of the bfloat16 has set.
    auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    const double nearest = static_cast<double>(std::bit_cast<float>(bits));
    if (nearest != x && std::isfinite(nearest)) {
        if (std::fabs(nearest) > std::fabs(x)) --bits;
        bits |= 1U;
    }
    bits += 0x7FFFU + (bits >> dropped & 1U);
    return static_cast<std::uint16_t>(bits >> dropped);
}

}  // namespace bert
