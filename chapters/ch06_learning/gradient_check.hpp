// Checking gradients against what they stand for: how the loss changes when a parameter does.
//
//     D(h) = (L(w + h) - L(w - h)) / (2 h)              the central difference, error ~ h^2
//     dL/dw ~ (4 D(h/2) - D(h)) / 3                     two of them, error ~ h^4
//
// A difference of two losses loses their common digits, so only double precision leaves enough: in
// float the second formula is wrong from the third digit on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// One loss from the parameters as they are at the time of the call; called many times, it must
/// always compute the same function (dropout with the same mask).
using LossFunction = std::function<Tensor()>;

struct GradientError {
    std::string name;  // of the parameter
    double relative =
        0.0;            // |a - n| / max(|a|, |n|) of the gradients a by the tape, n by differences
    double norm = 0.0;  // |n|
};

/// The gradient of every parameter by the tape and by central differences, compared by the norm of
/// the whole gradient: single elements near zero have no meaningful relative error. Norms below
/// 1e-3 count as 1e-3. The parameters are tracked anew, and keep their numbers. Throws as backward.
std::vector<GradientError> check_gradients(const LossFunction& loss,
                                           const std::vector<NamedParameter>& parameters,
                                           double step = 1e-3);

/// The largest relative error of an operation's gradients with respect to its inputs, for a loss
/// that weighs every element of its result differently.
using Operation = std::function<Tensor(const std::vector<Tensor>&)>;
double operation_gradient_error(const Operation& operation, std::vector<Tensor> inputs,
                                double step = 1e-3);

/// sum over i of w[i] y[i] with fixed weights w between 0.5 and 1.5, as a loss for checks.
Tensor weighted_sum(const Tensor& y);

}  // namespace bert
