// Rows of a table by their numbers: how a token's number becomes its vector.
#pragma once

#include <cstdint>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// table (N, D) and one row number in [0, N) for each place of the shape `leading`, in row-major
/// order: y[place, :] = table[rows[place], :] of shape leading + (D). The same as multiplying
/// one-hot vectors by the table, without the zeros.
/// Throws ShapeError when the table has another rank or leading another number of places,
/// std::invalid_argument naming the place, the row found and those allowed.
Tensor gather_rows(const Tensor& table, const std::vector<std::int64_t>& rows, Shape leading);

}  // namespace bert
