// Multi-head attention as the papers draw it: every head has matrices of its own.
//
//     z_h = attention(x W_Q[h] + b_Q[h], y W_K[h] + b_K[h], y W_V[h] + b_V[h])
//     output = [z_1, .. , z_H] W_O + b_O
//
// x (B, T, D), y (B, S, D'), matrices in the papers' orientation: (D, K), (D', K) and (H K, D).
// The products are those of multi_head.hpp, H small ones in place of one large.
#pragma once

#include <vector>

#include "ch02_scaled_dot_product/attention.hpp"
#include "ch04_multi_head/multi_head.hpp"

namespace bert {

struct SeparateHead {
    Tensor w_query;  // (D, K)
    Tensor w_key;    // (D', K)
    Tensor w_value;  // (D', K)
    Tensor b_query;  // (K), or empty: none; so the other two
    Tensor b_key;
    Tensor b_value;
};

struct SeparateHeads {
    std::vector<SeparateHead> heads;
    Tensor w_output;  // (H K, D)
    Tensor b_output;  // (D), or empty: none

    /// Shapes, mask and errors as MultiHeadAttention: output (B, T, D), weights (B, H, T, S).
    Attention operator()(const Tensor& query_input, const Tensor& key_value_input,
                         const Tensor& mask) const;
};

/// The one projection cut into those of the heads: w_query of head h is rows h K to (h + 1) K of
/// query.weight, transposed. Throws ShapeError for heads that do not divide the widths.
SeparateHeads cut_into_heads(const MultiHeadAttention& layer);

}  // namespace bert
