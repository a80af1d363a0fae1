#include "ch06_learning/clip.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include <fmt/core.h>

namespace bert {

namespace {

// Eight sums let additions overlap; their order is fixed.
double sum_of_squares(const Real* x, std::size_t size) {
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        for (std::size_t j = 0; j < 8; ++j) {
            const double value = static_cast<double>(x[i + j]);
            sums[j] += value * value;
        }
    }
    for (; i < size; ++i)
        sums[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    return std::accumulate(std::begin(sums), std::end(sums), 0.0);
}

// Threads take shares of a fixed size, whose sums are added in order.
double sum_of_squares(const Tensor& x) {
    constexpr std::size_t share = 8192;
    std::vector<double> sums((x.size() + share - 1) / share);
#pragma omp parallel for if (x.size() >= 65536)
    for (std::size_t s = 0; s < sums.size(); ++s) {
        const std::size_t begin = s * share;
        sums[s] = sum_of_squares(x.data() + begin, std::min(share, x.size() - begin));
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void scale(Tensor& x, double factor) {
    const Real f = static_cast<Real>(factor);
    Real* const values = x.mutable_data();
#pragma omp parallel for simd if (x.size() >= 65536)
    for (std::size_t i = 0; i < x.size(); ++i)
        values[i] *= f;
}

}  // namespace
double global_norm(const std::vector<Tensor>& gradients) {
    double sum = 0.0;
    for (const Tensor& gradient : gradients)
        sum += sum_of_squares(gradient);
    return std::sqrt(sum);
}

double clip_by_global_norm(std::vector<Tensor>& gradients, double max_norm) {
    if (!(max_norm > 0.0 && std::isfinite(max_norm))) {
        throw std::invalid_argument{fmt::format(
            "clip_by_global_norm: largest norm (found {}, expected above 0 and finite)", max_norm)};
    }
    const double norm = global_norm(gradients);
    const double factor = max_norm / (norm + 1e-6);
    if (std::isfinite(norm) && factor < 1.0) {
        for (Tensor& gradient : gradients)
            scale(gradient, factor);
    }
    return norm;
}

}  // namespace bert
