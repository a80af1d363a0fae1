#include "ch04_multi_head/mistakes.hpp"

#include <cmath>

#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

Tensor split_without_transpose(const Tensor& x, std::size_t num_heads) {
    return reshape(x, split_heads(x, num_heads).shape());
}

Tensor merge_without_transpose(const Tensor& heads) {
    return reshape(heads, merge_heads(heads).shape());
}

Tensor output_with(Mistake mistake, const MultiHeadAttention& layer, const Tensor& x) {
    const auto split =
        mistake == Mistake::split_without_transpose ? split_without_transpose : split_heads;
    const auto merge =
        mistake == Mistake::merge_without_transpose ? merge_without_transpose : merge_heads;
    Tensor query = split(layer.query(x), layer.num_heads);
    if (mistake == Mistake::scale_by_width) {
        // attention divides by sqrt(K); with this, by sqrt(D) = sqrt(H) sqrt(K).
        query = query * static_cast<Real>(1 / std::sqrt(static_cast<double>(layer.num_heads)));
    }
    const Tensor z = attention(query, split(layer.key(x), layer.num_heads),
                               split(layer.value(x), layer.num_heads))
                         .output;
    return mistake == Mistake::no_output ? merge(z) : layer.output(merge(z));
}

}  // namespace bert
