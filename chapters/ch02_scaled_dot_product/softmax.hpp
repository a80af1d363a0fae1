// Softmax: any row of numbers becomes weights that are positive and sum to 1.
//
//     y[i] = exp(x[i] - m) / sum over j of exp(x[j] - m)        m = the largest of the row
//
// The same value as without m, since exp(-m) cancels; but the largest exponent is 0, so that no
// exponential overflows.
#pragma once

#include <vector>

#include "common/autograd/remember.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Softmax along the last axis; same shape. -infinity is allowed and gets weight 0.
/// Throws ShapeError when the last axis is missing or has size zero, NumericError naming the row
/// that holds NaN, +infinity or nothing but -infinity.
Tensor softmax(const Tensor& x);

/// The gradient of softmax, for the chapter on learning:
///
///     dL/dx[i] = y[i] * (g[i] - sum over j of y[j] * g[j])        g = dL/dy
std::vector<Tensor> softmax_gradient(const BackwardStep& step);

}  // namespace bert
