#include "ch04_multi_head/separate_heads.hpp"

#include "ch03_masks/masks.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

namespace {

// x W + b; b may be empty.
Tensor project(const Tensor& x, const Tensor& w, const Tensor& b) {
    return b.size() == 0 ? matmul(x, w) : matmul(x, w) + b;
}

struct CutLinear {
    Tensor w;  // (in, K)
    Tensor b;  // (K), or empty
};

// Row block `head` of a weight (H K, in), transposed, and the same part of the bias.
CutLinear cut(const Linear& layer, std::size_t head, std::size_t num_heads) {
    const bool splits = layer.weight.rank() == 2 && layer.weight.dim(0) % num_heads == 0;
    if (!splits || (layer.bias.size() != 0 && layer.bias.shape() != Shape{layer.weight.dim(0)})) {
        throw ShapeError{"cut_into_heads: weight " + to_string(layer.weight.shape()) +
                         " and bias " + to_string(layer.bias.shape()) +
                         " do not split into H=" + std::to_string(num_heads) + " heads"};
    }
    const std::size_t width = layer.weight.dim(0) / num_heads;  // K
    const auto part = [&](const Tensor& x) {
        return slice(x, 0, head * width, (head + 1) * width);
    };
    return {transpose(part(layer.weight)), layer.bias.size() == 0 ? layer.bias : part(layer.bias)};
}

}  // namespace

Attention SeparateHeads::operator()(const Tensor& query_input, const Tensor& key_value_input,
                                    const Tensor& mask) const {
    if (query_input.rank() != 3 || key_value_input.rank() != 3) {
        throw ShapeError{"SeparateHeads: x " + to_string(query_input.shape()) + " and y " +
                         to_string(key_value_input.shape()) + " are not (B, T, D) and (B, S, D)"};
    }
    // [separate]
    std::vector<Tensor> outputs;
    std::vector<Tensor> weights;
    for (const SeparateHead& head : heads) {
        const Tensor q = project(query_input, head.w_query, head.b_query);      // (B, T, K)
        const Tensor k = project(key_value_input, head.w_key, head.b_key);      // (B, S, K)
        const Tensor v = project(key_value_input, head.w_value, head.b_value);  // (B, S, K)
        const Attention z = masked_attention(q, k, v, mask);
        outputs.push_back(z.output);                                               // (B, T, K)
        weights.push_back(reshape(z.weights, {q.dim(0), 1, q.dim(1), k.dim(1)}));  // (B, 1, T, S)
    }
    return {project(concat(outputs, -1), w_output, b_output), concat(weights, 1)};
    // [separate]
}

SeparateHeads cut_into_heads(const MultiHeadAttention& layer) {
    SeparateHeads result;
    const std::size_t count = layer.num_heads;
    if (count == 0) throw ShapeError{"cut_into_heads: H=0 heads"};
    for (std::size_t h = 0; h < count; ++h) {
        const CutLinear query = cut(layer.query, h, count);
        const CutLinear key = cut(layer.key, h, count);
        const CutLinear value = cut(layer.value, h, count);
        result.heads.push_back({query.w, key.w, value.w, query.b, key.b, value.b});
    }
    result.w_output = transpose(layer.output.weight);
    result.b_output = layer.output.bias;
    return result;
}

}  // namespace bert
