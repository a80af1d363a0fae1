// Small experiments of the lesson: saturated softmax, differences, optimisers, initialisation.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ch01_attention_by_hand/attention_by_hand.hpp"
#include "ch06_learning/scalar_graph.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// One query that scores two keys 0 and ln 3: weights 1/4 and 3/4; values 8 and 4: output 5. The
/// nodes have these names, in their order.
struct TwoKeys {
    explicit TwoKeys(ScalarGraph& graph);

    Scalar s1, s2;  // scores
    Scalar v1, v2;  // values
    Scalar e1, e2;  // exponentials
    Scalar sum;
    Scalar a1, a2;  // weights
    Scalar p1, p2;  // weighted values
    Scalar output;
};

/// The largest difference of the other ways from the gradients by hand, over the 36 weights and the
/// nine entries of the output of the documents' example.
struct WaysCompared {
    double graph, tape, differences;
    std::size_t num_nodes;  // of the scalar graph of one output
};
WaysCompared compare_ways(double score_factor);

/// Input 2 of the documents' example, whose largest score is 16, with its scores times a factor.
struct Saturation {
    Scores weights;
    Scores score_gradients;  // of the second entry of its output
    double query_norm;       // of the gradient of W_Q: square root of the sum of squares
};
Saturation saturation(double score_factor);

/// The right decimal digits of the central difference (y(h) - y(-h)) / (2 h), where y(s) is the
/// output of TwoKeys for the first score s; the slope is 3/4. In float or in double.
int right_digits_in_float(double step);
int right_digits_in_double(double step);

/// How far each of the parameters has moved after `num_steps` steps of an optimiser that sees the
/// same gradient each time.
enum class Walker { plain, momentum, adam };
std::vector<double> walk(Walker walker, const std::vector<double>& gradient, std::size_t num_steps,
                         double learning_rate);

/// The root mean square of x, tanh(W x), tanh(W tanh(W x)) and so on, with a new W from
/// `new_weight` for each layer; x (64, width) of variance 1. One number more than layers.
std::vector<double> signal_sizes(std::size_t width, std::size_t num_layers,
                                 const std::function<Tensor()>& new_weight);

}  // namespace bert
