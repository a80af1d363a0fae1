// A layer's weights, packed in shares that can be computed side by side.
//
// A share has some of the heads, and with them the columns of query, key and value that make them
// and the columns of the output's weight that read them; and some of the inner numbers of the
// feed-forward network, and the columns of the outer weight that read those. Up to the sum of what
// the shares give, none needs anything of another (Shoeybi et al. 2019, section 3, where each share
// has a machine of its own).
#pragma once

#include <cstddef>
#include <vector>

#include "ch07_encoder/encoder.hpp"
#include "common/tensor/packed_linear.hpp"

namespace bert {

/// Heads first_head and after, Ds of the D columns; Fs of the F inner numbers.
struct PackedShare {
    std::size_t first_head;
    std::size_t num_heads;
    PackedLinear query_key_value;   // (3 Ds, D)
    PackedLinear attention_output;  // (D, Ds), with the bias in the first share
    PackedLinear inner;             // (Fs, D), with the activation
    PackedLinear outer;             // (D, Fs), with the bias in the first share
};

struct PackedEncoderLayer {
    std::vector<PackedShare> shares;
    LayerNorm attention_norm;
    LayerNorm feed_forward_norm;
};

/// Copies the weights and takes them from the layer, one after the other, so that never both are in
/// memory together. Throws std::invalid_argument unless the layer is post-norm, ShapeError when it
/// does not fit together, NumericError for a weight that is not finite, std::logic_error where Real
/// is not float.
PackedEncoderLayer packed_layer(EncoderLayer& layer);

}  // namespace bert
