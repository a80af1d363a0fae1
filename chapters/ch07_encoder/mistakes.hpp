// Layer normalisation as it is often got wrong, for a look at the numbers.
#pragma once

#include "common/tensor/tensor.hpp"

namespace bert {

enum class NormMistake {
    none,
    divided_by_d_minus_1,  // the variance of a sample, as some libraries' std() gives it
    epsilon_outside,       // (x - mean) / (sqrt(variance) + epsilon)
    over_positions,        // mean and variance of each column instead of each row
};

/// The rows of x (T, D) normalised with this mistake, weight 1 and bias 0. Throws ShapeError unless
/// the rank is 2 and no dimension is 0, for divided_by_d_minus_1 also when D is 1.
Tensor layer_norm_with(NormMistake mistake, const Tensor& x, double epsilon);

}  // namespace bert
