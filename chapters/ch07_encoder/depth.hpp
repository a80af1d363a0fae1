// What the place of the normalisation does to a deep stack before any training: how large the
// hidden states are after each layer, and how large the gradients are that each layer gets.
#pragma once

#include <cstddef>
#include <vector>

#include "ch07_encoder/encoder.hpp"

namespace bert {

struct DepthReport {
    double size;      // root of the mean square of the hidden states after this layer
    double gradient;  // norm of the gradient of feed_forward.outer.weight of this layer
};

/// One report a layer of a random encoder (seed 7) of width 32 with inputs of variance 1, for a
/// loss that weighs every output by a random number.
std::vector<DepthReport> reports_by_depth(NormOrder order, std::size_t num_layers);

}  // namespace bert
