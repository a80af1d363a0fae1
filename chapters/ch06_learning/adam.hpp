// Adam and AdamW: a step size for every single number, from the history of its gradients.
//
//     m <- b1 m + (1 - b1) g            mean of the gradients, the latest weighing most
//     v <- b2 v + (1 - b2) g^2          mean of their squares
//     w <- w - r (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + e)              Adam
//     w <- w - r d w                    first, as well                      AdamW
//
// w a parameter, g = dL/dw, r the learning rate, t the number of the step, from 1, d the weight
// decay. m and v start at 0, so that early means are too small: m after one step is (1 - b1) g,
// and dividing by 1 - b1^t makes up for it. The quotient is near 1 while the gradients agree, near
// 0 while they cancel: a step is about r long, however large the gradients are.
//
// Kingma and Ba, Adam: A Method for Stochastic Optimization (2015), algorithm 1; Loshchilov and
// Hutter, Decoupled Weight Decay Regularization (2019), algorithm 2, with r as PyTorch has it: the
// schedule scales step and decay alike. Decay added to the gradient (L2) would be divided by
// sqrt(v) too, and so hold back least what changes most; here it does not pass through m and v.
#pragma once

#include <cstdint>
#include <vector>

#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct AdamSettings {
    double beta1 = 0.9;         // b1, in [0, 1)
    double beta2 = 0.999;       // b2, in [0, 1)
    double epsilon = 1e-8;      // e, above 0
    double weight_decay = 0.0;  // d, 0: Adam; above: AdamW
};

/// Whether AdamW makes this parameter smaller: matrices and tables (rank 2 or more), yes; biases,
/// and the gains of layer norms, which are meant to be near 1, no. Both have rank 1.
bool has_weight_decay(const NamedParameter& parameter);

struct Adam {
    AdamSettings settings;
    std::uint64_t steps = 0;             // t of the last step
    std::vector<Tensor> first_moments;   // m; empty before the first step
    std::vector<Tensor> second_moments;  // v

    /// One step for every parameter: torch.optim.Adam, or torch.optim.AdamW whose weight decay is 0
    /// for the parameters without one. Throws before anything is changed: ShapeError when gradients
    /// or moments do not fit the parameters, NumericError for a gradient that is not finite, each
    /// naming the parameter, and std::invalid_argument for a learning rate or settings out of
    /// range.
    void step(const std::vector<NamedParameter>& parameters, const std::vector<Tensor>& gradients,
              double learning_rate);
};

}  // namespace bert
