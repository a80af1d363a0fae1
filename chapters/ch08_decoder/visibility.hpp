// Who sees what in a decoder, found by changing one position and looking where the output changes.
#pragma once

#include "ch08_decoder/decoder.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// A decoder without training and one example for it, B = 1.
struct VisibilityExample {
    Decoder decoder;
    Tensor x;            // (1, T, D)
    Tensor memory;       // (1, S, D)
    Tensor self_mask;    // (T, T)
    Tensor memory_mask;  // (1, 1, S)
};

/// T = 5 and S = 4 with the last source position padding; two layers of width 12; seed 8.
VisibilityExample visibility_example();

/// Largest change of output t (row) when target position u (column) is changed: (T, T).
Tensor effect_of_targets(const VisibilityExample& example);

/// The same for source position s (column): (T, S).
Tensor effect_of_sources(const VisibilityExample& example);

}  // namespace bert
