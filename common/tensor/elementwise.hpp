// Sums, differences and products element by element, with NumPy's broadcasting: shapes are aligned
// at their last dimensions, and a dimension of size 1 (or a missing one) is repeated.
#pragma once

#include "common/tensor/tensor.hpp"

namespace bert {

/// a + b, a - b, a * b for each element. Throws ShapeError naming both shapes when they do not
/// broadcast.
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);

/// Every element times, or plus, one number.
Tensor operator*(const Tensor& a, Real factor);
Tensor operator*(Real factor, const Tensor& a);
Tensor operator+(const Tensor& a, Real addend);

/// The shape that a and b have in common after broadcasting. Throws ShapeError naming `function`.
Shape broadcast_shape(std::string_view function, const Shape& a, const Shape& b);

/// a += b for equal shapes. Throws ShapeError naming both otherwise. The tape does not see it.
void add_to(Tensor& a, const Tensor& b);

/// x repeated along its dimensions of size 1 until it has this shape. Throws ShapeError.
Tensor broadcast_to(const Tensor& x, const Shape& shape);

/// The way back: the sum of all elements that broadcast_to would make from one, in the order in
/// which they lie. Sums are made in double. Throws ShapeError unless `shape` broadcasts to x.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace bert
