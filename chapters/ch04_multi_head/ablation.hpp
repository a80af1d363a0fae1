// What one head contributes. Since [z_1, .. , z_H] meets W_O by columns,
//
//     output = b_O + sum over h of W_O[h] z_h          W_O[h] = columns h K to (h + 1) K
//
// a head is switched off by setting its columns to 0.
#pragma once

#include <cstddef>
#include <vector>

#include "ch04_multi_head/multi_head.hpp"

namespace bert {

/// The layer with W_O[head] = 0; heads are counted from 0. Throws ShapeError when there is no such
/// head.
MultiHeadAttention without_head(MultiHeadAttention layer, std::size_t head);

/// For each head, the mean |change| of the entries of the output when it is switched off.
/// Self-attention of x (B, T, D) under the mask; throws as the layer does.
std::vector<double> changes_without_heads(const MultiHeadAttention& layer, const Tensor& x,
                                          const Tensor& mask);

}  // namespace bert
