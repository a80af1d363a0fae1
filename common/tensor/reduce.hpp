// One number from many.
#pragma once

#include "common/tensor/tensor.hpp"

namespace bert {

/// Sum, mean and largest value along one axis, which the result no longer has: (B, T, D) summed
/// over axis 1 is (B, D). Sums are made in double, in the order of the axis.
/// Throws ShapeError when x lacks the axis; mean and max also when the axis has size zero.
Tensor sum(const Tensor& x, int axis);
Tensor mean(const Tensor& x, int axis);
Tensor max(const Tensor& x, int axis);

/// The largest |a[i] - b[i]|; NaN when one is NaN. Throws ShapeError for different shapes.
double largest_difference(const Tensor& a, const Tensor& b);

}  // namespace bert
