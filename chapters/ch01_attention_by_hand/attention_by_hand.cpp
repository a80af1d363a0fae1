#include "ch01_attention_by_hand/attention_by_hand.hpp"

#include <cmath>

namespace bert {

// [project]
SmallVector project(const InputVector& input, const WeightMatrix& weight) {
    SmallVector result{};
    for (std::size_t c = 0; c < vector_width; ++c) {
        for (std::size_t r = 0; r < input_width; ++r) {
            result[c] += input[r] * weight[r][c];
        }
    }
    return result;
}
// [project]

// [dot]
double dot_by_hand(const SmallVector& a, const SmallVector& b) {
    double sum = 0.0;
    for (std::size_t c = 0; c < vector_width; ++c) {
        sum += a[c] * b[c];
    }
    return sum;
}
// [dot]

// [softmax]
Scores softmax_by_hand(const Scores& scores) {
    Scores weights{};
    // EXERCISE BEGIN 01-softmax
    // STEP exponentials   weights[j] = exp(scores[j]), and their sum
    double sum = 0.0;
    for (std::size_t j = 0; j < num_inputs; ++j) {
        weights[j] = std::exp(scores[j]);
        sum += weights[j];
    }
    // STEP normalise      divide each by the sum
    for (double& weight : weights) {
        weight /= sum;
    }
    // STUB: static_cast<void>(scores);
    // EXERCISE END
    return weights;
}
// [softmax]

// [attend]
std::array<StepsOfInput, num_inputs> attend_by_hand(const Inputs& inputs,
                                                    const ProjectionWeights& weights) {
    std::array<StepsOfInput, num_inputs> steps{};
    for (std::size_t i = 0; i < num_inputs; ++i) {
        steps[i].key = project(inputs[i], weights.key);
        steps[i].query = project(inputs[i], weights.query);
        steps[i].value = project(inputs[i], weights.value);
    }
    // [attend]
    // [mix]
    for (StepsOfInput& step : steps) {
        for (std::size_t j = 0; j < num_inputs; ++j) {
            step.scores[j] = dot_by_hand(step.query, steps[j].key);
        }
        step.weights = softmax_by_hand(step.scores);
        for (std::size_t j = 0; j < num_inputs; ++j) {
            for (std::size_t c = 0; c < vector_width; ++c) {
                step.weighted_values[j][c] = step.weights[j] * steps[j].value[c];
                step.output[c] += step.weighted_values[j][c];
            }
        }
    }
    // [mix]
    return steps;
}

}  // namespace bert
