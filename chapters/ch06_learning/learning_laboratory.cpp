#include "ch06_learning/learning_laboratory.hpp"

#include <algorithm>
#include <cmath>

#include "ch06_learning/adam.hpp"
#include "ch06_learning/attention_gradients.hpp"
#include "ch06_learning/sgd.hpp"
#include "common/random/random.hpp"
#include "common/tensor/functions.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/parameters.hpp"

namespace bert {

TwoKeys::TwoKeys(ScalarGraph& graph)
    : s1(graph.number(0.0)),
      s2(graph.number(std::log(3.0))),
      v1(graph.number(8.0)),
      v2(graph.number(4.0)),
      e1(exp(s1)),
      e2(exp(s2)),
      sum(e1 + e2),
      a1(e1 / sum),
      a2(e2 / sum),
      p1(a1 * v1),
      p2(a2 * v2),
      output(p1 + p2) {}

WaysCompared compare_ways(double score_factor) {
    WaysCompared ways{};
    for (std::size_t i = 0; i < num_inputs; ++i) {
        for (std::size_t c = 0; c < vector_width; ++c) {
            const AttentionLoss problem = one_output(score_factor, i, c);
            const ProjectionWeights by_hand = gradients_by_hand(problem).matrices;
            const auto add = [&by_hand](double& largest, const ProjectionWeights& other) {
                largest = std::max(largest, largest_difference(by_hand, other));
            };
            add(ways.graph, gradients_by_graph(problem, &ways.num_nodes));
            add(ways.tape, gradients_by_tape(problem));
            add(ways.differences, gradients_by_differences(problem));
        }
    }
    return ways;
}

Saturation saturation(double score_factor) {
    const AttentionLoss problem = one_output(score_factor, 1, 1);
    const AttentionGradients gradients = gradients_by_hand(problem);
    double squares = 0.0;
    for (const SmallVector& row : gradients.matrices.query) {
        for (const double x : row)
            squares += x * x;
    }
    return {forward(problem).weights[1], gradients.scores[1], std::sqrt(squares)};
}

namespace {

template <typename Number>
int right_digits(Number step) {
    const auto output = [](Number score) {
        const Number e1 = std::exp(score);
        return (e1 * 8 + Number{3} * 4) / (e1 + 3);
    };
    const Number difference = (output(step) - output(-step)) / (2 * step);
    const double relative = std::abs(static_cast<double>(difference) / 0.75 - 1.0);
    constexpr double least = 1e-16;  // double knows no more digits
    return std::max(0, static_cast<int>(-std::log10(std::max(relative, least))));
}

double root_mean_square(const Tensor& x) {
    double squares = 0.0;
    for (const Real value : x.values())
        squares += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(squares / static_cast<double>(x.size()));
}

}  // namespace

int right_digits_in_float(double step) {
    return right_digits(static_cast<float>(step));
}

int right_digits_in_double(double step) {
    return right_digits(step);
}

std::vector<double> walk(Walker walker, const std::vector<double>& gradient, std::size_t num_steps,
                         double learning_rate) {
    std::vector<Tensor> weights(gradient.size(), Tensor{0});
    std::vector<NamedParameter> parameters;
    std::vector<Tensor> gradients;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        parameters.push_back({"weight", &weights[i]});
        gradients.emplace_back(gradient[i]);
    }
    Sgd sgd{.momentum = walker == Walker::momentum ? 0.9 : 0.0, .velocities = {}};
    Adam adam{};
    for (std::size_t t = 0; t < num_steps; ++t) {
        if (walker == Walker::adam) {
            adam.step(parameters, gradients, learning_rate);
        } else {
            sgd.step(parameters, gradients, learning_rate);
        }
    }
    std::vector<double> moved;
    for (const Tensor& weight : weights)
        moved.push_back(static_cast<double>(weight(0)));
    return moved;
}

std::vector<double> signal_sizes(std::size_t width, std::size_t num_layers,
                                 const std::function<Tensor()>& new_weight) {
    Random random{6};
    Tensor x = normal(random, {64, width}, 0.0, 1.0);
    std::vector<double> sizes{root_mean_square(x)};
    for (std::size_t layer = 0; layer < num_layers; ++layer) {
        x = tanh(matmul_transpose_b(x, new_weight()));
        sizes.push_back(root_mean_square(x));
    }
    return sizes;
}

}  // namespace bert
