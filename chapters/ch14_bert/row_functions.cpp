#include "ch14_bert/row_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/tensor/exponential.hpp"
#include "common/tensor/vector_clones.hpp"

namespace bert {

namespace {

constexpr Real hidden = -std::numeric_limits<Real>::infinity();

constexpr std::size_t lanes = 16;
using Vector [[gnu::vector_size(lanes * sizeof(Real))]] = Real;  // left to itself GCC uses none

// x[i] to scale x[i]; returns the greatest.
BERT_VECTOR_CLONES Real scaled(Real* x, std::size_t size, Real scale) {
    Vector greatest{};
    for (std::size_t lane = 0; lane < lanes; ++lane)
        greatest[lane] = hidden;
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes) {
        Vector y;
        std::memcpy(&y, x + i, sizeof y);
        y *= scale;
        std::memcpy(x + i, &y, sizeof y);
        greatest = y > greatest ? y : greatest;
    }
    Real all = hidden;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        all = greatest[lane] > all ? greatest[lane] : all;
    for (; i < size; ++i) {
        x[i] *= scale;
        all = x[i] > all ? x[i] : all;
    }
    return all;
}

// x[i] to `instead` where it is not visible.
BERT_VECTOR_CLONES void hide(Real* x, const Real* visible, std::size_t size, Real instead) {
    for (std::size_t i = 0; i < size; ++i)
        x[i] = visible[i] > Real{0} ? x[i] : instead;
}

BERT_VECTOR_CLONES void multiply(Real* x, std::size_t size, Real factor) {
    for (std::size_t i = 0; i < size; ++i)
        x[i] *= factor;
}

constexpr std::size_t sums = 8;

double total(const std::array<double, sums>& parts) {
    double sum = 0.0;
    for (const double part : parts)
        sum += part;
    return sum;
}

BERT_VECTOR_CLONES double sum_with_change(Real* x, const Real* change, std::size_t size) {
    std::array<double, sums> parts{};
    std::size_t i = 0;
    for (; i + sums <= size; i += sums) {
        for (std::size_t lane = 0; lane < sums; ++lane) {
            x[i + lane] += change[i + lane];
            parts[lane] += static_cast<double>(x[i + lane]);
        }
    }
    for (std::size_t lane = 0; i < size; ++i, ++lane) {
        x[i] += change[i];
        parts[lane] += static_cast<double>(x[i]);
    }
    return total(parts);
}

BERT_VECTOR_CLONES double sum_of_squares(const Real* x, std::size_t size, double mean) {
    std::array<double, sums> parts{};
    std::size_t i = 0;
    for (; i + sums <= size; i += sums) {
        for (std::size_t lane = 0; lane < sums; ++lane) {
            const double distance = static_cast<double>(x[i + lane]) - mean;
            parts[lane] += distance * distance;
        }
    }
    for (std::size_t lane = 0; i < size; ++i, ++lane) {
        const double distance = static_cast<double>(x[i]) - mean;
        parts[lane] += distance * distance;
    }
    return total(parts);
}

BERT_VECTOR_CLONES void normalise(Real* x, std::size_t size, double mean, double inverse,
                                  const Real* weight, const Real* bias) {
    for (std::size_t i = 0; i < size; ++i) {
        const double normalised = (static_cast<double>(x[i]) - mean) * inverse;
        x[i] = static_cast<Real>(normalised * static_cast<double>(weight[i]) +
                                 static_cast<double>(bias[i]));
    }
}

}  // namespace

// 0 x is 0 for a number, NaN for an infinity or NaN, and NaN stays in a sum.
BERT_VECTOR_CLONES bool all_finite(const Real* x, std::size_t size) {
    std::array<Real, lanes> parts{};
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            parts[lane] += Real{0} * x[i + lane];
    }
    for (; i < size; ++i)
        parts[0] += Real{0} * x[i];
    Real sum = 0;
    for (const Real part : parts)
        sum += part;
    return sum == Real{0};
}

bool softmax_in_place(Real* scores, const Real* visible, std::size_t size, Real scale) {
    if (visible != nullptr) hide(scores, visible, size, 0);
    if (!all_finite(scores, size)) return false;
    if (visible != nullptr) hide(scores, visible, size, hidden);
    const Real greatest = scaled(scores, size, scale);
    if (greatest == hidden) {  // nothing is visible
        std::fill_n(scores, size, Real{0});
        return true;
    }
    const double sum = shifted_exponentials(scores, greatest, size, scores);
    multiply(scores, size, static_cast<Real>(1.0 / sum));
    return true;
}

BERT_VECTOR_CLONES void add(Real* x, const Real* change, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        x[i] += change[i];
}

bool add_and_normalise(Real* x, const Real* change, const LayerNorm& norm) {
    const std::size_t size = norm.weight.size();
    const auto count = static_cast<double>(size);
    const double mean = sum_with_change(x, change, size) / count;
    const double variance = sum_of_squares(x, size, mean) / count;
    const double inverse = 1.0 / std::sqrt(variance + norm.epsilon);
    normalise(x, size, mean, inverse, norm.weight.data(), norm.bias.data());
    return inverse > 0.0;  // false for NaN as well
}

}  // namespace bert
