// Multi-head attention (Vaswani et al. 2017, section 3.2.2): H attentions side by side, each on its
// own K = D / H entries of the projected vectors.
//
//     Q, K, V = query(x), key(y), value(y)          x asks, y answers; x = y is self-attention
//     z_h = attention(Q_h, K_h, V_h)                h = 1 .. H, the h-th K columns of each
//     output = W_O [z_1, .. , z_H] + b_O
//
// B batch, T target positions (of x), S source positions (of y), D model width, H heads, K the
// width of a head.
#pragma once

#include <cstddef>

#include "ch02_scaled_dot_product/attention.hpp"
#include "ch03_masks/masks.hpp"
#include "ch04_multi_head/linear.hpp"
#include "common/tensor/parameters.hpp"

namespace bert {

/// x (B, T, D) to (B, H, T, K): head h gets the columns h K to (h + 1) K of every position.
/// Throws ShapeError unless the rank is 3 and H divides D.
Tensor split_heads(const Tensor& x, std::size_t num_heads);

/// The way back: (B, H, T, K) to (B, T, H K), the heads side by side at each position. Throws
/// ShapeError unless the rank is 4.
Tensor merge_heads(const Tensor& heads);

/// The masks of chapter 3 as masks of all heads. Scores are (B, H, T, S) here, and shapes are
/// aligned at their last dimensions, so that B needs a dimension after it, which H repeats:
///
///     (T, S)    as it is                 every example, every head
///     (B, 1, S) to (B, 1, 1, S)          an example's padding, for every head and query
///     (B, T, S) to (B, 1, T, S)          both combined, for every head
///
/// Throws ShapeError for another rank.
Tensor mask_for_heads(const Tensor& mask);

struct MultiHeadAttention {
    Linear query;   // weight (H K, D)
    Linear key;     // weight (H K, D'), D' the width of what is attended to
    Linear value;   // weight (H E, D'); E = K in all published models
    Linear output;  // weight (D, H E): W_O
    std::size_t num_heads = 1;

    /// query_input (B, T, D), key_value_input (B, S, D'), mask (T, S), (B, 1, S) or (B, T, S);
    /// returns output (B, T, D) and weights (B, H, T, S). Where a mask leaves a query nothing to
    /// see its weights are 0, and its output is the bias of W_O alone. Throws ShapeError and
    /// NumericError as masked_attention and attention do, ShapeError for heads that do not divide
    /// the widths.
    Attention operator()(const Tensor& query_input, const Tensor& key_value_input,
                         const Tensor& mask, const WeightsChange& change = {}) const;
    /// The same where everything is visible.
    Attention operator()(const Tensor& query_input, const Tensor& key_value_input) const;

    /// "query.weight", "query.bias", and so on (common/tensor/parameters.hpp).
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        for_each_parameter(layer.query, visitor, "query.");
        for_each_parameter(layer.key, visitor, "key.");
        for_each_parameter(layer.value, visitor, "value.");
        for_each_parameter(layer.output, visitor, "output.");
    }
};

/// Four random_linear(random, width, width, stddev). Throws ShapeError unless num_heads divides
/// width.
MultiHeadAttention random_multi_head(Random& random, std::size_t width, std::size_t num_heads,
                                     double stddev);

}  // namespace bert
