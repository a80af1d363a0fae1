// Attention rollout (Abnar and Zuidema 2020, section 3): how much of each input is left in each
// vector above, if attention mixed the inputs themselves.
//
//     A' = 0.5 (mean over heads of A) + 0.5 I     half of a vector is what it was: the residual
//     A' = A' with each row divided by its sum
//     R_l = A'_l R_(l-1),  R_0 = I
#pragma once

#include "common/attention_map/attention_dump.hpp"
#include "common/plot/heatmap.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// A' of one layer's weights (B, H, T, T): (B, T, T), rows that sum to 1. Throws ShapeError for
/// another shape.
Tensor with_residual(const Tensor& weights);

/// attentions (L, B, H, T, T), the first layer first: R after the last, (B, T, T). R[b, t, s] is
/// the share of input s in vector t. Rows sum to 1; a key that no query sees, such as padding, has
/// no share but in itself. Throws ShapeError for another shape.
Tensor rollout(const Tensor& attentions);

/// R after every layer: (L, B, T, T). Throws likewise.
Tensor rollout_by_layer(const Tensor& attentions);

/// Rollout of a dump. Throws as validate does, ShapeError unless its layers rise by one from each
/// to the next: without those between, the product means nothing; and for cross-attention.
Tensor rollout(const AttentionDump& dump);

/// That of the first text, as a picture from 0 to 1. Throws likewise.
Heatmap rollout_heatmap(const AttentionDump& dump);

}  // namespace bert
