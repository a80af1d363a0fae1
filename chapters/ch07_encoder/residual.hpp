// The residual connection around a sublayer, and where the normalisation stands (Vaswani et al.
// 2017, section 5.4 for the dropout).
//
//     post   y = norm(x + dropout(sublayer(x)))        as published, and in BERT
//     pre    y = x + dropout(sublayer(norm(x)))        x itself runs through all layers unchanged
#pragma once

#include <string_view>

#include "ch07_encoder/dropout.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

enum class NormOrder { post, pre };

/// "post", "pre".
std::string_view to_string(NormOrder order);

/// x + dropout(change) for equal shapes; without a Dropout (null), x + change. Throws ShapeError
/// when the shapes differ, and does not broadcast.
Tensor add_residual(const Tensor& x, const Tensor& change, Dropout* dropout);

// [residual]
/// One sublayer, a function from a tensor to one of the same shape, with what is around it.
template <typename Sublayer>
Tensor residual(NormOrder order, const LayerNorm& norm, const Tensor& x, Dropout* dropout,
                const Sublayer& sublayer) {
    if (order == NormOrder::pre) return add_residual(x, sublayer(norm(x)), dropout);
    return norm(add_residual(x, sublayer(x), dropout));
}
// [residual]

}  // namespace bert
