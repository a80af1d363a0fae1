// The denominators of softmax, which log_softmax and cross_entropy share.
#pragma once

#include <cstddef>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// For each row x of a tensor m = the largest x[i], and sum = sum over i of exp(x[i] - m). Kept
/// apart, large logits cost no digits: log p[i] = (x[i] - m) - log(sum).
struct RowSums {
    std::vector<Real> largest;
    std::vector<double> sum;

    double log_probability(std::size_t row, Real x) const;
};

/// The tape does not see it. Throws as log_softmax does.
RowSums row_sums(const Tensor& x);

}  // namespace bert
