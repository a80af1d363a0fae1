// What every optimiser makes sure of before it changes the first number.
#pragma once

#include <string_view>
#include <vector>

#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Throws ShapeError naming `function` and the parameter unless there is one tensor for each
/// parameter, of its shape. `what` says what the tensors are: "gradient", "first moment".
void require_one_each(std::string_view function, std::string_view what,
                      const std::vector<NamedParameter>& parameters,
                      const std::vector<Tensor>& tensors);

/// Throws NumericError naming the parameter and the element of its gradient that is NaN or
/// infinite. There is one gradient for each parameter.
void require_finite_gradients(const std::vector<NamedParameter>& parameters,
                              const std::vector<Tensor>& gradients);

/// Throws std::invalid_argument naming `function` unless the rate is above 0 and finite.
void require_learning_rate(std::string_view function, double learning_rate);

/// Zeros in the shape of each parameter, for what an optimiser remembers from step to step.
std::vector<Tensor> zeros_like(const std::vector<NamedParameter>& parameters);

}  // namespace bert
