#include "ch06_learning/attention_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ch01_attention_by_hand/examples.hpp"

namespace bert {

AttentionLoss one_output(double score_factor, std::size_t row, std::size_t column) {
    AttentionLoss problem{three_inputs(), worked_example_weights(), score_factor, {}};
    problem.output_gradient.at(row).at(column) = 1.0;
    return problem;
}

AttentionForward forward(const AttentionLoss& problem) {
    AttentionForward f{};
    for (std::size_t i = 0; i < num_inputs; ++i) {
        f.query[i] = project(problem.inputs[i], problem.weights.query);
        f.key[i] = project(problem.inputs[i], problem.weights.key);
        f.value[i] = project(problem.inputs[i], problem.weights.value);
    }
    for (std::size_t i = 0; i < num_inputs; ++i) {
        Scores scores{};
        for (std::size_t j = 0; j < num_inputs; ++j)
            scores[j] = problem.score_factor * dot_by_hand(f.query[i], f.key[j]);
        f.weights[i] = softmax_by_hand(scores);
        for (std::size_t c = 0; c < vector_width; ++c) {
            for (std::size_t j = 0; j < num_inputs; ++j)
                f.output[i][c] += f.weights[i][j] * f.value[j][c];
            f.loss += problem.output_gradient[i][c] * f.output[i][c];
        }
    }
    return f;
}

namespace {

// [mix_gradient]
// O[i][c] = sum over j of A[i][j] V[j][c]:    dA = dO V^T, dV = A^T dO, with g = dO
void back_through_mix(const AttentionForward& f, const SmallVectors& g, AttentionGradients& d) {
    for (std::size_t i = 0; i < num_inputs; ++i) {
        for (std::size_t j = 0; j < num_inputs; ++j) {
            for (std::size_t c = 0; c < vector_width; ++c) {
                d.weights[i][j] += g[i][c] * f.value[j][c];
                d.value[j][c] += f.weights[i][j] * g[i][c];
            }
        }
    }
}
// [mix_gradient]

// [softmax_gradient]
// dS[i][j] = A[i][j] (dA[i][j] - mean), mean = sum over k of A[i][k] dA[i][k]
void back_through_softmax(const AttentionForward& f, AttentionGradients& d) {
    for (std::size_t i = 0; i < num_inputs; ++i) {
        // EXERCISE BEGIN 06-softmax-gradient
        // STEP mean       of the gradients dA[i][j], weighted by A[i][j]
        const double mean = dot_by_hand(f.weights[i], d.weights[i]);
        // STEP scores     each weight times what its gradient is above the mean
        for (std::size_t j = 0; j < num_inputs; ++j)
            d.scores[i][j] = f.weights[i][j] * (d.weights[i][j] - mean);
        // STUB: static_cast<void>(f); static_cast<void>(d);
        // EXERCISE END
    }
}
// [softmax_gradient]

// [score_gradient]
// S[i][j] = factor * sum over c of Q[i][c] K[j][c]:    dQ = factor dS K, dK = factor dS^T Q
void back_through_scores(const AttentionForward& f, double factor, AttentionGradients& d) {
    // EXERCISE BEGIN 06-attention-gradients
    // STEP each pair  query i and key j meet in one score: each gets the other, times dS[i][j]
    for (std::size_t i = 0; i < num_inputs; ++i) {
        for (std::size_t j = 0; j < num_inputs; ++j) {
            for (std::size_t c = 0; c < vector_width; ++c) {
                d.query[i][c] += factor * d.scores[i][j] * f.key[j][c];
                d.key[j][c] += factor * d.scores[i][j] * f.query[i][c];
            }
        }
    }
    // STUB: static_cast<void>(f); static_cast<void>(factor); static_cast<void>(d);
    // EXERCISE END
}
// [score_gradient]

// [projection_gradient]
// Q[i][c] = sum over r of X[i][r] W[r][c]:    dW = X^T dQ, a sum over all inputs that W serves
WeightMatrix back_through_projection(const Inputs& x, const SmallVectors& d) {
    WeightMatrix w{};
    for (std::size_t i = 0; i < num_inputs; ++i) {
        for (std::size_t r = 0; r < input_width; ++r) {
            for (std::size_t c = 0; c < vector_width; ++c)
                w[r][c] += x[i][r] * d[i][c];
        }
    }
    return w;
}
// [projection_gradient]

}  // namespace

AttentionGradients gradients_by_hand(const AttentionLoss& problem) {
    const AttentionForward f = forward(problem);
    AttentionGradients d{};
    back_through_mix(f, problem.output_gradient, d);
    back_through_softmax(f, d);
    back_through_scores(f, problem.score_factor, d);
    d.matrices.query = back_through_projection(problem.inputs, d.query);
    d.matrices.key = back_through_projection(problem.inputs, d.key);
    d.matrices.value = back_through_projection(problem.inputs, d.value);
    return d;
}

namespace {

double largest_difference(const WeightMatrix& a, const WeightMatrix& b) {
    double largest = 0.0;
    for (std::size_t r = 0; r < input_width; ++r) {
        for (std::size_t c = 0; c < vector_width; ++c) {
            const double difference = std::abs(a[r][c] - b[r][c]);
            if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
            largest = std::max(largest, difference);
        }
    }
    return largest;
}

}  // namespace

double largest_difference(const ProjectionWeights& a, const ProjectionWeights& b) {
    return std::max({largest_difference(a.query, b.query), largest_difference(a.key, b.key),
                     largest_difference(a.value, b.value)});
}

}  // namespace bert
