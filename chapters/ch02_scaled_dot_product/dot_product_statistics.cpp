#include "ch02_scaled_dot_product/dot_product_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "ch01_attention_by_hand/three_stages.hpp"
#include "ch02_scaled_dot_product/softmax.hpp"
#include "common/random/random.hpp"

namespace bert {

namespace {

// A vector with entries of mean 0 and variance 1: (2 sqrt(3))^2 / 12 = 1.
std::vector<Real> unit_variance_vector(std::size_t width, Random& random) {
    const double half_range = std::sqrt(3.0);
    std::vector<Real> vector(width);
    for (Real& entry : vector)
        entry = static_cast<Real>(random.uniform(-half_range, half_range));
    return vector;
}

}  // namespace

SampledDotProducts sample_dot_products(std::size_t width, std::size_t draws, std::uint64_t seed) {
    if (width < 1 || draws < 2) {
        throw std::invalid_argument{"sample_dot_products: needs width >= 1 and draws >= 2"};
    }
    // [variance]
    Random random{seed};
    double sum = 0.0;
    double sum_of_squares = 0.0;
    for (std::size_t i = 0; i < draws; ++i) {
        const std::vector<Real> query = unit_variance_vector(width, random);
        const double product = dot_product(query, unit_variance_vector(width, random));
        sum += product;
        sum_of_squares += product * product;
    }
    const double count = static_cast<double>(draws);
    const double variance = (sum_of_squares - sum * sum / count) / (count - 1.0);
    return {sum / count, variance, variance / static_cast<double>(width)};
    // [variance]
}

SoftmaxSharpness sample_softmax_sharpness(std::size_t width, std::size_t keys, bool scaled,
                                          std::size_t trials, std::uint64_t seed) {
    if (width == 0 || keys == 0 || trials == 0) {
        throw std::invalid_argument{
            "sample_softmax_sharpness: width, keys and trials must be >= 1"};
    }
    Random random{seed};
    const double scale = scaled ? 1.0 / std::sqrt(static_cast<double>(width)) : 1.0;
    SoftmaxSharpness mean{0.0, 0.0};
    for (std::size_t trial = 0; trial < trials; ++trial) {
        const std::vector<Real> query = unit_variance_vector(width, random);
        Tensor scores(Shape{keys});
        for (std::size_t s = 0; s < keys; ++s) {
            const double score = dot_product(query, unit_variance_vector(width, random));
            scores(s) = static_cast<Real>(scale * score);
        }
        const Tensor weights = softmax(scores);
        const auto largest = static_cast<double>(
            *std::max_element(weights.values().begin(), weights.values().end()));
        mean.largest_weight += largest / static_cast<double>(trials);
        mean.slope += largest * (1.0 - largest) / static_cast<double>(trials);
    }
    return mean;
}

}  // namespace bert
