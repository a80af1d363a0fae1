#include "ch03_masks/mask_laboratory.hpp"

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch03_masks/masks.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/reduce.hpp"

namespace bert {

// [penalty]
Tensor softmax_with_penalty(const Tensor& scores, const Tensor& mask, Real penalty) {
    const Tensor hidden = (mask + Real{-1}) * Real{-1};  // 1 where the mask is 0
    return softmax(scores + hidden * penalty);
}
// [penalty]

// [after]
Tensor mask_after_softmax(const Tensor& scores, const Tensor& mask) {
    return softmax(scores) * mask;
}
// [after]

// [zeroed]
Tensor softmax_of_zeroed_scores(const Tensor& scores, const Tensor& mask) {
    return softmax(scores * mask);
}
// [zeroed]

Tensor mask_without_diagonal(std::size_t length) {
    Tensor mask = causal_mask(length);
    for (std::size_t t = 0; t < length; ++t)
        mask(t, t) = 0;
    return mask;
}

Tensor row_sums(const Tensor& weights) {
    return sum(weights, -1);
}

}  // namespace bert
