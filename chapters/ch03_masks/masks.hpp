// Masks: which keys a query may see.
//
// A mask holds 1 where a key is visible and 0 where it is hidden, and broadcasts against the
// scores (.., T, S). Hidden scores become -infinity before softmax, so that their weight is exactly
// 0 and the visible ones still sum to 1. A row with nothing visible has no such weights: it gets
// zeros, and so does its output.
#pragma once

#include <functional>

#include "ch02_scaled_dot_product/attention.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// (T, T): position t sees positions 0 to t, itself included. Throws ShapeError for length 0.
Tensor causal_mask(std::size_t length);

/// attention_mask (B, S), 1 for a token and 0 for padding, to (B, 1, S): no query of example b
/// sees its padding. Throws ShapeError unless the rank is 2; std::invalid_argument for other
/// values.
Tensor padding_mask(const Tensor& attention_mask);

/// Visible where both are: (T, T) and (B, 1, S) give (B, T, S). Throws ShapeError when they do not
/// broadcast.
Tensor combine_masks(const Tensor& a, const Tensor& b);

/// scores where the mask is 1, -infinity where it is 0; same shape as scores. Throws ShapeError
/// when the mask does not broadcast to the scores, std::invalid_argument for other values.
Tensor hide_scores(const Tensor& scores, const Tensor& mask);

/// Softmax along the last axis over the visible scores; hidden ones get 0, and so does every
/// weight of a row with nothing visible. Throws as hide_scores does, NumericError for a score that
/// is visible and not finite.
Tensor masked_softmax(const Tensor& scores, const Tensor& mask);

/// Done to the weights (.., T, S) before they mix the values: dropout, while a model learns.
using WeightsChange = std::function<Tensor(const Tensor&)>;

/// Scaled dot-product attention under a mask; query (.., T, K), key (.., S, K), value (.., S, E),
/// mask broadcasting to (.., T, S). Throws ShapeError and NumericError as attention does, hidden
/// keys and values included: NaN in padding is a fault to be told, not to be hidden. The weights
/// of the result are those before a change.
Attention masked_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                           const Tensor& mask, const WeightsChange& change = {});

}  // namespace bert
