// Clipping: a gradient that is too long is shortened, and keeps its direction.
//
//     n = sqrt(sum over all gradients and elements of g^2)            the global norm
//     g <- g * min(1, max / (n + 1e-6))
//
// All parameters' gradients count as one long vector, so that all are scaled alike (Pascanu,
// Mikolov and Bengio 2013). The 1e-6 is PyTorch's, and keeps the result just below the maximum.
#pragma once

#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// n; sums in double, the same bits for every number of threads. NaN or infinite when a gradient
/// is.
double global_norm(const std::vector<Tensor>& gradients);

/// Scales the gradients so that their global norm is at most max_norm, and returns the norm that
/// they had: torch.nn.utils.clip_grad_norm_. When that norm is not finite the gradients stay as
/// they are, so that the optimiser can still name the parameter whose gradient is at fault.
/// Throws std::invalid_argument unless max_norm is above 0 and finite.
double clip_by_global_norm(std::vector<Tensor>& gradients, double max_norm);

}  // namespace bert
