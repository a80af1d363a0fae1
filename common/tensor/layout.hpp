// The same numbers in another arrangement.
#pragma once

#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// The same numbers under another shape. Throws ShapeError when the counts differ.
Tensor reshape(const Tensor& x, Shape shape);

/// Two axes exchanged; by default the last two. Negative axes count from the end.
/// Throws ShapeError for an axis that x does not have.
Tensor transpose(const Tensor& x, int axis_a = -2, int axis_b = -1);

/// The part begin <= index < end along one axis. Throws ShapeError when it is not inside x.
Tensor slice(const Tensor& x, int axis, std::size_t begin, std::size_t end);

/// Tensors joined along one axis; all other dimensions must be equal. Throws ShapeError.
Tensor concat(const std::vector<Tensor>& parts, int axis);

/// An axis as an index from the front. Throws ShapeError naming `function` when x lacks it.
std::size_t positive_axis(std::string_view function, const Tensor& x, int axis);

}  // namespace bert
