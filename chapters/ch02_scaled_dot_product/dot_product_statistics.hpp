// Why the scores are divided by sqrt(K): measured on random vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bert {

struct SampledDotProducts {
    double mean;
    double variance;         // of q . k: about the width
    double scaled_variance;  // of q . k / sqrt(width): about 1
};

/// Draws pairs of vectors whose entries are independent and uniform in [-sqrt(3), sqrt(3)), which
/// have mean 0 and variance 1. Throws std::invalid_argument unless width >= 1 and draws >= 2.
SampledDotProducts sample_dot_products(std::size_t width, std::size_t draws, std::uint64_t seed);

struct SoftmaxSharpness {
    double largest_weight;  // mean over trials; 1 means that softmax picks a single key
    double slope;           // mean of w (1 - w) of that weight: 0 means that no gradient passes
};

/// What softmax makes of the scores of one query with `keys` keys, with or without the division by
/// sqrt(width). Throws std::invalid_argument when a count is zero.
SoftmaxSharpness sample_softmax_sharpness(std::size_t width, std::size_t keys, bool scaled,
                                          std::size_t trials, std::uint64_t seed);

}  // namespace bert
