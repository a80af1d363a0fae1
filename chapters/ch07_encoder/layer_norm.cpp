#include "ch07_encoder/layer_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace bert {

namespace {

void require_fit(const LayerNorm& layer, const Tensor& x) {
    const bool fits = x.rank() >= 1 && x.shape().back() > 0 &&
                      layer.weight.shape() == Shape{x.shape().back()} &&
                      layer.bias.shape() == layer.weight.shape();
    if (!fits) {
        throw ShapeError{"LayerNorm: x " + to_string(x.shape()) + ", weight " +
                         to_string(layer.weight.shape()) + " and bias " +
                         to_string(layer.bias.shape()) + " are not (.., D), (D) and (D)"};
    }
    if (layer.epsilon > 0.0 && std::isfinite(layer.epsilon)) return;
    throw std::invalid_argument{"LayerNorm: epsilon (found " + std::to_string(layer.epsilon) +
                                ", expected a positive number)"};
}

[[noreturn]] void throw_bad_row(const Tensor& x, double epsilon) {
    std::size_t r = 0;
    while (row_statistics(x.row(r), epsilon).inverse_deviation > 0.0)
        ++r;
    throw NumericError{"LayerNorm: row " + std::to_string(r) +
                       " holds NaN, an infinity or numbers whose squares overflow"};
}

// The sum of term(i), i < n, in eight partial sums that the compiler can keep in vectors; their
// order is fixed, so every machine adds alike.
template <typename Term>
double sum_of(std::size_t n, const Term& term) {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += term(i + lane);
    }
    for (std::size_t lane = 0; i < n; ++i, ++lane)
        sums[lane] += term(i);
    double sum = 0.0;
    for (const double part : sums)
        sum += part;
    return sum;
}

}  // namespace

// [statistics]
RowStatistics row_statistics(std::span<const Real> row, double epsilon) {
    // EXERCISE BEGIN 07-layer-norm
    // STEP mean       of the D numbers
    const auto count = static_cast<double>(row.size());
    const auto sum_around = [row](double middle) {
        return sum_of(row.size(),
                      [&](std::size_t d) { return static_cast<double>(row[d]) - middle; });
    };
    const double rounded_mean = sum_around(0.0) / count;
    // The second sum is what rounding took from the first: equal numbers have variance 0.
    const double mean = rounded_mean + sum_around(rounded_mean) / count;
    // STEP variance   the mean of their squared distances from the mean
    const double squares = sum_of(row.size(), [&](std::size_t d) {
        const double distance = static_cast<double>(row[d]) - mean;
        return distance * distance;
    });
    // STEP root       of variance plus epsilon, and 1 over it
    return {mean, 1.0 / std::sqrt(squares / count + epsilon)};
    // STUB: return {sum_of(row.size(), [&](std::size_t) { return epsilon; }), 1.0};
    // EXERCISE END
}
// [statistics]

Tensor LayerNorm::operator()(const Tensor& x) const {
    require_fit(*this, x);
    Tensor y = Tensor::for_overwrite(x.shape());
    const std::size_t width = x.shape().back();
    Real* const out = y.mutable_data();
    bool finite = true;
#pragma omp parallel for reduction(&& : finite) if (x.size() > 65536)
    for (std::size_t r = 0; r < x.num_rows(); ++r) {
        const Real* const row = x.data() + r * width;
        const auto [mean, inverse_deviation] = row_statistics({row, width}, epsilon);
        finite = finite && inverse_deviation > 0.0;
        // [normalise]
        for (std::size_t d = 0; d < width; ++d) {
            const double normalised = (static_cast<double>(row[d]) - mean) * inverse_deviation;
            out[r * width + d] =
                static_cast<Real>(normalised * static_cast<double>(weight.data()[d]) +
                                  static_cast<double>(bias.data()[d]));
        }
        // [normalise]
    }
    if (!finite) throw_bad_row(x, epsilon);
    const auto gradient = [epsilon = epsilon](const BackwardStep& step) {
        return layer_norm_gradient(step, epsilon);
    };
    return remember(y, {x, weight, bias}, gradient, Keep::inputs);
}

LayerNorm unit_layer_norm(std::size_t width) {
    LayerNorm layer{.weight = Tensor(Shape{width}), .bias = Tensor(Shape{width})};
    std::fill_n(layer.weight.mutable_data(), width, Real{1});
    return layer;
}

}  // namespace bert
