// Ways to get multi-head attention wrong whose shapes all fit, to watch what each does.
#pragma once

#include "ch04_multi_head/multi_head.hpp"

namespace bert {

/// (B, T, D) to (B, H, T, K) by a reshape alone: a "head" gets whole positions, not columns.
Tensor split_without_transpose(const Tensor& x, std::size_t num_heads);

/// (B, H, T, K) to (B, T, H K) by a reshape alone: positions and heads are mixed. After
/// split_without_transpose it gives back x, so that a round trip finds neither mistake.
Tensor merge_without_transpose(const Tensor& heads);

enum class Mistake {
    none,
    split_without_transpose,
    scale_by_width,
    merge_without_transpose,
    no_output
};

/// The output (B, T, D) of self-attention without a mask, with one mistake made. scale_by_width
/// divides the scores by sqrt(D) in place of sqrt(K); no_output leaves W_O out. Throws as the layer
/// does.
Tensor output_with(Mistake mistake, const MultiHeadAttention& layer, const Tensor& x);

}  // namespace bert
