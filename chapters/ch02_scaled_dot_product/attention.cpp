#include "ch02_scaled_dot_product/attention.hpp"

#include <cmath>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

// [scores]
Tensor attention_scores(const Tensor& query, const Tensor& key) {
    require_not_empty("attention: query", query);
    require_not_empty("attention: key", key);
    require_finite("attention: query", query);
    require_finite("attention: key", key);
    // Dot products grow with the width: their variance is K. Divided by sqrt(K) it is 1.
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.dim(-1)));
    return matmul_transpose_b(query, key) * static_cast<Real>(scale);  // (.., T, S)
}
// [scores]

// [attention]
Attention attention(const Tensor& query, const Tensor& key, const Tensor& value) {
    require_not_empty("attention: value", value);
    require_finite("attention: value", value);
    Attention result;
    // EXERCISE BEGIN 02-attention
    // STEP scores     Q K^T / sqrt(K)           (.., T, S)
    const Tensor scores = attention_scores(query, key);
    // STEP weights    softmax of each row       (.., T, S)
    result.weights = softmax(scores);
    // STEP mix        output = weights V        (.., T, E)
    result.output = matmul(result.weights, value);
    // STUB: static_cast<void>(query); static_cast<void>(key);
    // EXERCISE END
    return result;
}
// [attention]

}  // namespace bert
