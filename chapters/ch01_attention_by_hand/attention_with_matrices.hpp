// The same attention as products of matrices: row i of each matrix belongs to input i.
//
//     K = X W_K    Q = X W_Q    V = X W_V    scores = Q K^T    output = softmax(scores) V
//
// T inputs, D their width, K the width of keys and queries, E the width of values.
#pragma once

#include "common/tensor/tensor.hpp"

namespace bert {

struct MatrixSteps {
    Tensor keys;     // (T, K)
    Tensor queries;  // (T, K)
    Tensor values;   // (T, E)
    Tensor scores;   // (T, T)
    Tensor weights;  // (T, T), every row sums to 1
    Tensor output;   // (T, E)
};

/// x (T, D), w_key and w_query (D, K), w_value (D, E). Throws ShapeError when they do not fit.
MatrixSteps attention_with_matrices(const Tensor& x, const Tensor& w_key, const Tensor& w_query,
                                    const Tensor& w_value);

/// exp(x) divided by its sum along each row, as the formula stands. Large scores overflow to
/// infinity and give NaN: chapter 2 shows it and has the form that does not.
Tensor softmax_naive(const Tensor& scores);

}  // namespace bert
