// Gradient descent: a small step downhill, against the gradient.
//
//     w <- w - r g                                plain
//     v <- mu v + g        w <- w - r v           with momentum mu (Polyak 1964); v starts at 0
//
// w a parameter, g = dL/dw, r the learning rate. With a gradient that stays the same, momentum
// walks 1 / (1 - mu) times as far a step in the end, and gradients that alternate cancel. It is
// called stochastic (SGD) because g comes from a few examples drawn from all.
#pragma once

#include <vector>

#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct Sgd {
    double momentum = 0.0;           // mu, in [0, 1)
    std::vector<Tensor> velocities;  // v; empty before the first step and without momentum

    /// One step for every parameter: torch.optim.SGD without weight decay.
    /// Throws before anything is changed: ShapeError when gradients or velocities do not fit the
    /// parameters, NumericError for a gradient that is not finite, each naming the parameter, and
    /// std::invalid_argument for a learning rate or a momentum out of range.
    void step(const std::vector<NamedParameter>& parameters, const std::vector<Tensor>& gradients,
              double learning_rate);
};

}  // namespace bert
