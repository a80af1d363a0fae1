// Scaled dot-product attention (Vaswani et al. 2017, section 3.2.1).
//
//     weights = softmax(Q K^T / sqrt(K))        output = weights V
//
// T queries, S keys and values, K the width of a query or key (d_k), E the width of a value.
// Leading dimensions, such as batch and heads, are carried along.
#pragma once

#include "common/tensor/tensor.hpp"

namespace bert {

struct Attention {
    Tensor output;   // (.., T, E)
    Tensor weights;  // (.., T, S); every row sums to 1
};

/// score[t, s] = (query[t] . key[s]) / sqrt(K); query (.., T, K), key (.., S, K) to (.., T, S).
/// Throws ShapeError when they do not fit or a dimension is zero, NumericError for a number that
/// is not finite.
Tensor attention_scores(const Tensor& query, const Tensor& key);

/// query (.., T, K), key (.., S, K), value (.., S, E). Throws as attention_scores does.
Attention attention(const Tensor& query, const Tensor& key, const Tensor& value);

/// Throws ShapeError unless key (.., S, K) and value (.., S, E) have as many rows and value is not
/// empty, NumericError when a value is not finite.
void require_values_fit(const Tensor& key, const Tensor& value);

}  // namespace bert
