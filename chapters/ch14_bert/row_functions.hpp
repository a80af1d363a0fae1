// Softmax and layer normalisation of one row in place, for the packed encoder: the formulas of
// chapters 2 and 7 in as few walks over the row as they need.
#pragma once

#include <cstddef>

#include "ch07_encoder/layer_norm.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// scores[s] to exp(scale scores[s]) over their sum, where visible[s] is 1; 0 elsewhere, and
/// everywhere when nothing is visible. `visible` may be null: all are. False when a score that
/// counts is not finite.
bool softmax_in_place(Real* scores, const Real* visible, std::size_t size, Real scale);

/// x to x + change.
void add(Real* x, const Real* change, std::size_t size);

/// x to LayerNorm(x + change), both of the norm's width. False when the sum is not finite.
bool add_and_normalise(Real* x, const Real* change, const LayerNorm& norm);

/// Whether none of the numbers is NaN or infinite.
bool all_finite(const Real* x, std::size_t size);

}  // namespace bert
