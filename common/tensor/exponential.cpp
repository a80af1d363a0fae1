#include "common/tensor/exponential.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "common/tensor/vector_clones.hpp"

namespace bert {

namespace {

// e^x = 2^n e^r with n = x / ln 2 to the nearest whole number and |r| <= ln 2 / 2. ln 2 is taken in
// two parts, the first with so few bits that n times it is exact. The polynomial is the Taylor
// series of e^r; 2^n is put together from its bits.
[[maybe_unused, gnu::always_inline]] inline float exponential(float x) {
    constexpr float least = -87.3F;  // 2^-126, the smallest normal float, is e^-87.336
    const float inside = x < least ? least : x;
    constexpr float round = 12582912.0F;  // 1.5 * 2^23: adding it leaves no bits for a fraction
    const float shifted = inside * 1.44269504F + round;
    const float n = shifted - round;
    const float r = (inside - n * 0.693359375F) + n * 2.12194440e-4F;
    float series = 1.0F / 5040.0F;
    series = series * r + 1.0F / 720.0F;
    series = series * r + 1.0F / 120.0F;
    series = series * r + 1.0F / 24.0F;
    series = series * r + 1.0F / 6.0F;
    series = series * r + 0.5F;
    series = series * r + 1.0F;
    series = series * r + 1.0F;
    const auto exponent = std::bit_cast<std::uint32_t>(shifted) << 23U;
    const float power = std::bit_cast<float>(exponent + 0x3F800000U);
    return x < least ? 0.0F : series * power;
}

[[maybe_unused]] inline double exponential(double x) {
    return std::exp(x);
}

}  // namespace

BERT_VECTOR_CLONES double shifted_exponentials(const Real* x, Real shift, std::size_t size,
                                               Real* y) {
    for (std::size_t i = 0; i < size; ++i)
        y[i] = exponential(x[i] - shift);
    // Several sums let additions overlap; the order is fixed.
    constexpr std::size_t lanes = 16;
    double sums[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += static_cast<double>(y[i + lane]);
    }
    for (std::size_t lane = 0; i < size; ++i, ++lane)
        sums[lane] += static_cast<double>(y[i]);
    double total = 0.0;
    for (const double sum : sums)
        total += sum;
    return total;
}

}  // namespace bert
