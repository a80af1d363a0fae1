#include "ch02_scaled_dot_product/attention.hpp"

#include <cmath>
#include <string>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

namespace {

struct Input {
    const char* name;
    const Tensor& tensor;
    const char* letters;
};

// "attention: query (T=5, K=8) and key (S=7, K=4): the widths differ"
void require(bool good, const Input& a, const Input& b, const char* why) {
    if (good) return;
    const auto text = [](const Input& x) {
        return std::string{x.name} + " " + with_letters(x.tensor.shape(), x.letters);
    };
    throw ShapeError{"attention: " + text(a) + " and " + text(b) + ": " + why};
}

void require_query_fits(const Tensor& query, const Tensor& key) {
    const Input q{"query", query, "TK"};
    const Input k{"key", key, "SK"};
    require(query.rank() >= 2 && key.rank() >= 2, q, k, "both need at least two dimensions");
    require_not_empty("attention: query", query);
    require_not_empty("attention: key", key);
    require(query.dim(-1) == key.dim(-1), q, k, "the widths differ");
    require_finite("attention: query", query);
    require_finite("attention: key", key);
}

}  // namespace

void require_values_fit(const Tensor& key, const Tensor& value) {
    const Input k{"key", key, "SK"};
    const Input v{"value", value, "SE"};
    require(key.rank() >= 2 && value.rank() >= 2, k, v, "both need at least two dimensions");
    require_not_empty("attention: value", value);
    require(key.dim(-2) == value.dim(-2), k, v, "each key needs one value");
    require_finite("attention: value", value);
}

// [scores]
Tensor attention_scores(const Tensor& query, const Tensor& key) {
    require_query_fits(query, key);
    // Dot products grow with the width: their variance is K. Divided by sqrt(K) it is 1.
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.dim(-1)));
    return matmul_transpose_b(query, key) * static_cast<Real>(scale);  // (.., T, S)
}
// [scores]

// [attention]
Attention attention(const Tensor& query, const Tensor& key, const Tensor& value) {
    require_values_fit(key, value);
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
