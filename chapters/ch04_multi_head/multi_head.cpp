#include "ch04_multi_head/multi_head.hpp"

#include "ch03_masks/masks.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

namespace {

void require_divisible(std::string_view function, const Shape& shape, std::string_view letters,
                       std::size_t num_heads) {
    if (num_heads != 0 && shape.back() % num_heads == 0) return;
    throw ShapeError{std::string{function} + ": " + with_letters(shape, letters) +
                     " does not split into H=" + std::to_string(num_heads) + " heads"};
}

void require_batches(const Tensor& query_input, const Tensor& key_value_input) {
    if (query_input.rank() == 3 && key_value_input.rank() == 3 &&
        query_input.dim(0) == key_value_input.dim(0))
        return;
    throw ShapeError{"MultiHeadAttention: query_input " + with_letters(query_input.shape(), "BTD") +
                     " and key_value_input " + with_letters(key_value_input.shape(), "BSD") +
                     " are not (B, T, D) and (B, S, D) of one batch"};
}

}  // namespace

// [split]
Tensor split_heads(const Tensor& x, std::size_t num_heads) {
    if (x.rank() != 3)
        throw ShapeError{"split_heads: x " + to_string(x.shape()) + " is not (B, T, D)"};
    require_divisible("split_heads: x", x.shape(), "BTD", num_heads);
    Tensor heads(Shape{x.dim(0), num_heads, x.dim(1), x.dim(2) / num_heads});
    // EXERCISE BEGIN 04-split-heads
    // STEP cut       each row of D numbers into H groups of K   (B, T, H, K)
    const Tensor cut = reshape(x, {x.dim(0), x.dim(1), num_heads, x.dim(2) / num_heads});
    // STEP turn      heads before positions                     (B, H, T, K)
    heads = transpose(cut, 1, 2);
    // STUB:
    // EXERCISE END
    return heads;
}
// [split]

Tensor merge_heads(const Tensor& heads) {
    if (heads.rank() != 4)
        throw ShapeError{"merge_heads: heads " + to_string(heads.shape()) + " is not (B, H, T, K)"};
    Tensor merged(Shape{heads.dim(0), heads.dim(2), heads.dim(1) * heads.dim(3)});
    // EXERCISE BEGIN 04-merge-heads
    // STEP turn      positions before heads          (B, T, H, K)
    const Tensor turned = transpose(heads, 1, 2);
    // STEP join      the H groups of each position   (B, T, H K)
    merged = reshape(turned, merged.shape());
    // STUB:
    // EXERCISE END
    return merged;
}

Tensor mask_for_heads(const Tensor& mask) {
    if (mask.rank() == 2) return mask;
    if (mask.rank() != 3) {
        throw ShapeError{"mask_for_heads: mask " + to_string(mask.shape()) +
                         " is not (T, S), (B, 1, S) or (B, T, S)"};
    }
    return reshape(mask, {mask.dim(0), 1, mask.dim(1), mask.dim(2)});
}

// [multi_head]
Attention MultiHeadAttention::operator()(const Tensor& query_input, const Tensor& key_value_input,
                                         const Tensor& mask, const WeightsChange& change) const {
    require_batches(query_input, key_value_input);
    Attention result;
    // EXERCISE BEGIN 04-multi-head
    // STEP project   one product for all heads, then the cut
    const Tensor q = split_heads(query(query_input), num_heads);      // (B, H, T, K)
    const Tensor k = split_heads(key(key_value_input), num_heads);    // (B, H, S, K)
    const Tensor v = split_heads(value(key_value_input), num_heads);  // (B, H, S, K)
    // STEP attend    H attentions that know nothing of each other
    result = masked_attention(q, k, v, mask_for_heads(mask), change);  // (B, H, T, K)
    // STEP mix       side by side, then W_O
    result.output = output(merge_heads(result.output));  // (B, T, D)
    // STUB: static_cast<void>(mask); static_cast<void>(change);
    // EXERCISE END
    return result;
}
// [multi_head]

Attention MultiHeadAttention::operator()(const Tensor& query_input,
                                         const Tensor& key_value_input) const {
    // One 1, repeated over all scores.
    return (*this)(query_input, key_value_input, Tensor(Shape{1, 1}, {1}));
}

MultiHeadAttention random_multi_head(Random& random, std::size_t width, std::size_t num_heads,
                                     double stddev) {
    require_divisible("random_multi_head: width", {width}, "D", num_heads);
    // In a braced list the four are made in this order.
    return {random_linear(random, width, width, stddev),
            random_linear(random, width, width, stddev),
            random_linear(random, width, width, stddev),
            random_linear(random, width, width, stddev), num_heads};
}

}  // namespace bert
