// Attention over three inputs with arrays and loops only: every intermediate value has a name.
//
//     key = x W_K      query = x W_Q      value = x W_V
//     score[j] = query . key[j]
//     weight[j] = exp(score[j]) / sum over i of exp(score[i])
//     output = sum over j of weight[j] * value[j]
#pragma once

#include <array>
#include <cstddef>

namespace bert {

inline constexpr std::size_t num_inputs = 3;
inline constexpr std::size_t input_width = 4;   // D
inline constexpr std::size_t vector_width = 3;  // K, the width of keys, queries and values

using InputVector = std::array<double, input_width>;
using SmallVector = std::array<double, vector_width>;
using Scores = std::array<double, num_inputs>;
/// One row for each entry of an input, one column for each entry of the result: (D, K).
using WeightMatrix = std::array<SmallVector, input_width>;

using Inputs = std::array<InputVector, num_inputs>;

struct ProjectionWeights {
    WeightMatrix key;
    WeightMatrix query;
    WeightMatrix value;
};

/// All that attention computes for one input.
struct StepsOfInput {
    SmallVector key;
    SmallVector query;
    SmallVector value;
    Scores scores;                                        // one for each key
    Scores weights;                                       // the same after softmax; they sum to 1
    std::array<SmallVector, num_inputs> weighted_values;  // weights[j] * value of input j
    SmallVector output;                                   // their sum
};

/// result[c] = sum over r of input[r] * weight[r][c]
SmallVector project(const InputVector& input, const WeightMatrix& weight);

/// sum over c of a[c] * b[c]
double dot_by_hand(const SmallVector& a, const SmallVector& b);

/// exp(score[j]) / sum over i of exp(score[i]). Scores above 709 overflow: chapter 2 mends that.
Scores softmax_by_hand(const Scores& scores);

/// Attention of each input over all three inputs. Source: N01 to N08 in docs/numbers.md.
std::array<StepsOfInput, num_inputs> attend_by_hand(const Inputs& inputs,
                                                    const ProjectionWeights& weights);

}  // namespace bert
