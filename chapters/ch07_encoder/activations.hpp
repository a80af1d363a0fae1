// What stands between the two linear layers of a feed-forward network; without it they would be
// one linear layer.
//
//     relu        y = max(0, x)
//     gelu        y = x P(x),  P(x) = (1 + erf(x / sqrt(2))) / 2,  the normal distribution function
//     gelu_tanh   y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
//
// relu: Vaswani et al. 2017. gelu: Hendrycks and Gimpel 2016, who give the tanh form as an
// approximation; the two differ by up to 5e-4. BERT's checkpoints are run with gelu.
#pragma once

#include <string_view>
#include <vector>

#include "common/autograd/remember.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Each element by element, any shape. NaN stays NaN.
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x);
Tensor gelu_tanh(const Tensor& x);

enum class Activation { relu, gelu, gelu_tanh };

Tensor activate(Activation activation, const Tensor& x);

/// "relu", "gelu", "gelu_tanh".
std::string_view to_string(Activation activation);

std::vector<Tensor> relu_gradient(const BackwardStep& step);
std::vector<Tensor> gelu_gradient(const BackwardStep& step);
std::vector<Tensor> gelu_tanh_gradient(const BackwardStep& step);

}  // namespace bert
