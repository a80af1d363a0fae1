// Where an operation offers itself to the tape that computes gradients.
//
// The last line of a forward function is `return remember(y, {x}, softmax_gradient);`. Without a
// tape, as here, that is `return y;`: inference pays nothing, and a reader can pass it over until
// the chapter on learning.
#pragma once

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// What a gradient function may look at: the inputs and the output of the forward step, and the
/// gradient of the loss with respect to that output (same shape as the output).
struct BackwardStep {
    const std::vector<Tensor>& inputs;
    const Tensor& output;
    const Tensor& output_gradient;
};

/// Returns the gradient of the loss with respect to each input, shaped like the inputs.
using GradientFunction = std::function<std::vector<Tensor>(const BackwardStep&)>;

/// Returns `output` unchanged.
template <typename Gradient>
Tensor remember(Tensor output, std::initializer_list<Tensor>, const Gradient&) {
    return output;
}

}  // namespace bert
