// Ways to mask that are seen in the wild, beside the right one, to watch what each gets wrong.
#pragma once

#include "common/tensor/tensor.hpp"

namespace bert {

/// Adds `penalty` (such as -10000) to hidden scores, then softmax. Right only while no hidden score
/// exceeds the visible ones by that much; a row with nothing visible attends to what is hidden.
/// Shapes and errors as masked_softmax.
Tensor softmax_with_penalty(const Tensor& scores, const Tensor& mask, Real penalty);

/// Softmax over everything, then hidden weights set to 0: the rows no longer sum to 1, and hidden
/// scores have already taken their share.
Tensor mask_after_softmax(const Tensor& scores, const Tensor& mask);

/// Hidden scores set to 0 before softmax: exp(0) = 1, so they keep a weight.
Tensor softmax_of_zeroed_scores(const Tensor& scores, const Tensor& mask);

/// Hides the position itself along with the future: (T, T) with 1 strictly below the diagonal.
/// The first row is left with nothing to see. Throws ShapeError for length 0.
Tensor mask_without_diagonal(std::size_t length);

/// The sum of each row: (.., T, S) to (.., T).
Tensor row_sums(const Tensor& weights);

}  // namespace bert
