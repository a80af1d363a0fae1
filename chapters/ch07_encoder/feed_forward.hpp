// The position-wise feed-forward network (Vaswani et al. 2017, section 3.3): two linear layers with
// an activation between them, applied to each position on its own.
//
//     y = activation(x W_1^T + b_1) W_2^T + b_2        relu: max(0, x W_1^T + b_1) W_2^T + b_2
//
// F, the inner width, is 4 D in all published models.
#pragma once

#include "ch04_multi_head/linear.hpp"
#include "ch07_encoder/activations.hpp"
#include "common/tensor/parameters.hpp"

namespace bert {

struct FeedForward {
    Linear inner;  // weight (F, D)
    Linear outer;  // weight (D, F)
    Activation activation = Activation::relu;

    /// x (.., D) to the same shape. Throws ShapeError as Linear does.
    Tensor operator()(const Tensor& x) const;

    /// "inner.weight", "inner.bias", "outer.weight", "outer.bias".
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        for_each_parameter(layer.inner, visitor, "inner.");
        for_each_parameter(layer.outer, visitor, "outer.");
    }
};

}  // namespace bert
