#include <vector>

#include "ch01_attention_by_hand/examples.hpp"
#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch06_learning/attention_gradients.hpp"
#include "ch06_learning/scalar_graph.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/reduce.hpp"

namespace bert {

namespace {

using ScalarRow = std::vector<Scalar>;
using ScalarMatrix = std::vector<ScalarRow>;

template <typename Rows>
ScalarMatrix to_scalars(ScalarGraph& graph, const Rows& rows) {
    ScalarMatrix result;
    for (const auto& row : rows) {
        result.emplace_back();
        for (const double value : row)
            result.back().push_back(graph.number(value));
    }
    return result;
}

WeightMatrix read_gradients(const ScalarGradients& gradients, const ScalarMatrix& weight) {
    WeightMatrix result{};
    for (std::size_t r = 0; r < input_width; ++r) {
        for (std::size_t c = 0; c < vector_width; ++c)
            result[r][c] = gradients.of(weight[r][c]);
    }
    return result;
}

Scalar dot(const ScalarRow& a, const ScalarRow& b) {
    Scalar sum = a[0] * b[0];
    for (std::size_t c = 1; c < a.size(); ++c)
        sum = sum + a[c] * b[c];
    return sum;
}

ScalarRow softmax(const ScalarRow& scores) {
    ScalarRow weights;
    for (const Scalar score : scores)
        weights.push_back(exp(score));
    Scalar sum = weights[0];
    for (std::size_t j = 1; j < weights.size(); ++j)
        sum = sum + weights[j];
    for (Scalar& weight : weights)
        weight = weight / sum;
    return weights;
}

ScalarRow column(const ScalarMatrix& matrix, std::size_t c) {
    ScalarRow result;
    for (const ScalarRow& row : matrix)
        result.push_back(row[c]);
    return result;
}

ScalarMatrix product(const ScalarMatrix& a, const ScalarMatrix& b) {
    ScalarMatrix result;
    for (const ScalarRow& row : a) {
        result.emplace_back();
        for (std::size_t c = 0; c < b[0].size(); ++c)
            result.back().push_back(dot(row, column(b, c)));
    }
    return result;
}

Scalar scalar_loss(ScalarGraph& graph, const AttentionLoss& problem, const ScalarMatrix& q,
                   const ScalarMatrix& k, const ScalarMatrix& v) {
    const Scalar factor = graph.number(problem.score_factor);
    const ScalarMatrix g = to_scalars(graph, problem.output_gradient);
    Scalar loss = graph.number(0.0);
    for (std::size_t i = 0; i < num_inputs; ++i) {
        ScalarRow scores;
        for (std::size_t j = 0; j < num_inputs; ++j)
            scores.push_back(factor * dot(q[i], k[j]));
        const ScalarMatrix output = product({softmax(scores)}, v);
        loss = loss + dot(g[i], output[0]);
    }
    return loss;
}

Tensor tensor_of(const SmallVectors& rows) {
    Tensor result(Shape{num_inputs, vector_width});
    for (std::size_t i = 0; i < num_inputs; ++i) {
        for (std::size_t c = 0; c < vector_width; ++c)
            result(i, c) = static_cast<Real>(rows[i][c]);
    }
    return result;
}

WeightMatrix array_of(const Tensor& weight) {
    WeightMatrix result{};
    for (std::size_t r = 0; r < input_width; ++r) {
        for (std::size_t c = 0; c < vector_width; ++c)
            result[r][c] = static_cast<double>(weight(r, c));
    }
    return result;
}

}  // namespace

ProjectionWeights gradients_by_graph(const AttentionLoss& problem, std::size_t* num_nodes) {
    ScalarGraph graph;
    const ScalarMatrix x = to_scalars(graph, problem.inputs);
    const ScalarMatrix w_query = to_scalars(graph, problem.weights.query);
    const ScalarMatrix w_key = to_scalars(graph, problem.weights.key);
    const ScalarMatrix w_value = to_scalars(graph, problem.weights.value);
    const Scalar loss =
        scalar_loss(graph, problem, product(x, w_query), product(x, w_key), product(x, w_value));
    const ScalarGradients gradients = graph.backward(loss);
    if (num_nodes != nullptr) *num_nodes = graph.nodes().size();
    return {.key = read_gradients(gradients, w_key),
            .query = read_gradients(gradients, w_query),
            .value = read_gradients(gradients, w_value)};
}

// [by_tape]
ProjectionWeights gradients_by_tape(const AttentionLoss& problem) {
    Tensor w_query = to_tensor(problem.weights.query);
    Tensor w_key = to_tensor(problem.weights.key);
    Tensor w_value = to_tensor(problem.weights.value);
    for (Tensor* weight : {&w_query, &w_key, &w_value})
        track(*weight);
    const Tensor x = to_tensor(problem.inputs);
    const Tensor scores = matmul_transpose_b(matmul(x, w_query), matmul(x, w_key));
    const Tensor weights = softmax(scores * static_cast<Real>(problem.score_factor));
    const Tensor output = matmul(weights, matmul(x, w_value));
    const Tensor loss = sum(sum(output * tensor_of(problem.output_gradient), 0), 0);
    const Gradients gradients = backward(loss);
    return {array_of(gradients.of(w_key)), array_of(gradients.of(w_query)),
            array_of(gradients.of(w_value))};
}
// [by_tape]

ProjectionWeights gradients_by_differences(const AttentionLoss& problem, double step) {
    ProjectionWeights gradients{};
    const auto fill = [&](WeightMatrix ProjectionWeights::*matrix) {
        for (std::size_t r = 0; r < input_width; ++r) {
            for (std::size_t c = 0; c < vector_width; ++c) {
                AttentionLoss above = problem;
                AttentionLoss below = problem;
                (above.weights.*matrix)[r][c] += step;
                (below.weights.*matrix)[r][c] -= step;
                (gradients.*matrix)[r][c] =
                    (forward(above).loss - forward(below).loss) / (2.0 * step);
            }
        }
    };
    fill(&ProjectionWeights::query);
    fill(&ProjectionWeights::key);
    fill(&ProjectionWeights::value);
    return gradients;
}

}  // namespace bert
