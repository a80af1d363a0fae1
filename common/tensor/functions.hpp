// Functions of each element alone.
#pragma once

#include "common/tensor/tensor.hpp"

namespace bert {

/// (e^x - e^-x) / (e^x + e^-x) of each element, between -1 and 1; same shape. NaN stays NaN.
Tensor tanh(const Tensor& x);

/// 1 / (1 + e^-x) of each element, between 0 and 1; same shape. NaN stays NaN.
Tensor sigmoid(const Tensor& x);

}  // namespace bert
