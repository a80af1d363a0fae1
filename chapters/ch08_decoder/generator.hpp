// From the decoder's output to the next token (Vaswani et al. 2017, section 3.4).
//
//     logits = y W^T + b              one for each token of the vocabulary
//     probabilities = softmax of each row of logits
//
// V vocabulary.
#pragma once

#include "ch04_multi_head/linear.hpp"
#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct Generator {
    Linear linear;  // weight (V, D)

    /// y (B, T, D) to (B, T, V). Throws ShapeError as Linear does.
    Tensor logits(const Tensor& y) const;
    /// The same, each row a distribution. Throws as logits and softmax do.
    Tensor probabilities(const Tensor& y) const;

    /// "weight", "bias".
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        Linear::visit_parameters(layer.linear, visitor);
    }
};

}  // namespace bert
