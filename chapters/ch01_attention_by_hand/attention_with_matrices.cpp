#include "ch01_attention_by_hand/attention_with_matrices.hpp"

#include <cmath>

#include "common/tensor/matmul.hpp"

namespace bert {

Tensor softmax_naive(const Tensor& scores) {
    Tensor weights(scores.shape());
    for (std::size_t r = 0; r < scores.num_rows(); ++r) {
        double sum = 0.0;
        for (const Real score : scores.row(r))
            sum += std::exp(static_cast<double>(score));
        for (std::size_t c = 0; c < scores.row(r).size(); ++c) {
            const double exponential = std::exp(static_cast<double>(scores.row(r)[c]));
            weights.mutable_row(r)[c] = static_cast<Real>(exponential / sum);
        }
    }
    return weights;
}

// [matrices]
MatrixSteps attention_with_matrices(const Tensor& x, const Tensor& w_key, const Tensor& w_query,
                                    const Tensor& w_value) {
    MatrixSteps steps;
    steps.keys = matmul(x, w_key);                                 // (T, K)
    steps.queries = matmul(x, w_query);                            // (T, K)
    steps.values = matmul(x, w_value);                             // (T, E)
    steps.scores = matmul_transpose_b(steps.queries, steps.keys);  // (T, T)
    steps.weights = softmax_naive(steps.scores);                   // (T, T)
    steps.output = matmul(steps.weights, steps.values);            // (T, E)
    return steps;
}
// [matrices]

}  // namespace bert
