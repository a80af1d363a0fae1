// The chain rule back through the attention of chapter 1, in four ways that must agree.
//
//     S = f Q K^T      A = softmax of each row of S      O = A V      L = sum of G[i][c] * O[i][c]
//
// Q = X W_Q, K = X W_K, V = X W_V; f the factor of the scores: 1 in chapter 1, 1/sqrt(3) in
// chapter 2. With G = 1 everywhere L is the sum of the output; with a single 1, one element of it.
#pragma once

#include <array>
#include <cstddef>

#include "ch01_attention_by_hand/attention_by_hand.hpp"

namespace bert {

/// A row for each input, a column for each entry of a vector: (T, K).
using SmallVectors = std::array<SmallVector, num_inputs>;
/// A row for each query, a column for each key: (T, S).
using ScoreMatrix = std::array<Scores, num_inputs>;

struct AttentionLoss {
    Inputs inputs;
    ProjectionWeights weights;
    double score_factor;           // f
    SmallVectors output_gradient;  // G = dL/dO
};

/// The documents' example with these scores' factor and L = O[row][column].
AttentionLoss one_output(double score_factor, std::size_t row, std::size_t column);

/// All that the forward pass computes: attend_by_hand with the factor of the scores.
struct AttentionForward {
    SmallVectors query, key, value;
    ScoreMatrix weights;
    SmallVectors output;
    double loss;
};
AttentionForward forward(const AttentionLoss& problem);

/// The gradient of L with respect to everything on the way back, in the order of computing.
struct AttentionGradients {
    ScoreMatrix weights;         // dL/dA
    SmallVectors value;          // dL/dV
    ScoreMatrix scores;          // dL/dS
    SmallVectors query, key;     // dL/dQ, dL/dK
    ProjectionWeights matrices;  // dL/dW_Q, dL/dW_K, dL/dW_V
};

/// Formulas as loops.
AttentionGradients gradients_by_hand(const AttentionLoss& problem);

/// The scalar graph of every single sum, product and exponential. `num_nodes`, if given, gets its
/// size.
ProjectionWeights gradients_by_graph(const AttentionLoss& problem,
                                     std::size_t* num_nodes = nullptr);

/// The tape of tensors (common/autograd/tape.hpp).
ProjectionWeights gradients_by_tape(const AttentionLoss& problem);

/// (L(w + h) - L(w - h)) / (2 h) for each weight w, h = step.
ProjectionWeights gradients_by_differences(const AttentionLoss& problem, double step = 1e-5);

/// The largest |a - b| over the three matrices; infinite when one is NaN.
double largest_difference(const ProjectionWeights& a, const ProjectionWeights& b);

}  // namespace bert
