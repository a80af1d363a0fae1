// A toy to learn: of several items, which is the loudest, and what is its colour?
//
// An item is a colour, one of C (1 at its place, 0 elsewhere), and a loudness in [0, 1). Attention
// can answer: score by loudness, value by colour. Nothing says so to the weights but the loss.
//
//     key = W_K item + b_K      value = W_V item + b_V      logits = attention(query, keys, values)
//
// B examples, S items each, C colours, K the width of the query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ch02_scaled_dot_product/attention.hpp"
#include "ch04_multi_head/linear.hpp"
#include "common/plot/line_chart.hpp"
#include "common/random/random.hpp"
#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

inline constexpr std::size_t toy_items = 5;    // S
inline constexpr std::size_t toy_colours = 4;  // C
inline constexpr std::size_t toy_width = 4;    // K

struct ToyData {
    Tensor items;                       // (B, S, C + 1), the loudness last
    std::vector<std::int64_t> answers;  // B colours
};

/// Random colours and loudnesses.
ToyData toy_data(Random& random, std::size_t count);

struct ToyModel {
    Tensor query;  // (1, K): the same question to every example
    Linear key;    // (K, C + 1)
    Linear value;  // (C, C + 1)

    /// Logits (B, 1, C) as output, and weights (B, 1, S).
    Attention operator()(const Tensor& items) const;

    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        visitor(std::string{"query"}, layer.query);
        for_each_parameter(layer.key, visitor, "key.");
        for_each_parameter(layer.value, visitor, "value.");
    }
};

ToyModel random_toy_model(Random& random);

/// The mean cross-entropy of the answers, a tensor of one number.
Tensor toy_loss(const ToyModel& model, const ToyData& data);

/// The part of the examples whose largest logit is the answer.
double toy_accuracy(const ToyModel& model, const ToyData& data);

/// What one optimiser made of the toy: the loss before each step, and the trained model.
struct ToyRun {
    std::string name;
    std::vector<double> losses;
    ToyModel model;
};

/// Data to learn from, data to judge by that training never sees, and three runs from the same
/// weights: gradient descent, the same with momentum, and Adam.
struct ToyResult {
    ToyData training;
    ToyData held_out;
    ToyModel untrained;
    std::vector<ToyRun> runs;
};
ToyResult train_toys(std::size_t num_steps, std::uint64_t seed = 6);

/// The losses of the runs over the steps.
LineChart toy_chart(const ToyResult& result);

}  // namespace bert
