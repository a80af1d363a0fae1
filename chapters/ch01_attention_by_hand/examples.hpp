// The numbers of this chapter's examples.
#pragma once

#include "ch01_attention_by_hand/attention_by_hand.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Three inputs of width 4 (N01).
Inputs three_inputs();

/// The weights of the worked example (N01 to N03).
ProjectionWeights worked_example_weights();

/// The same with another query matrix: here the score matrix is not symmetric, so that rows and
/// columns, or query and key, cannot be confused unnoticed.
ProjectionWeights asymmetric_example_weights();

/// The arrays as tensors: (3, 4) and (4, 3).
Tensor to_tensor(const Inputs& inputs);
Tensor to_tensor(const WeightMatrix& weight);

}  // namespace bert
