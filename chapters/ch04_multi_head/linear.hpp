// Linear: the layer of nearly all parameters.
//
//     y = x W^T + b        y[.., o] = sum over i of x[.., i] * W[o, i] + b[o]
//
// The weight is stored (out, in), one row for each entry of the result, as PyTorch and the Hugging
// Face checkpoints store it: a file's `query.weight` is read as it lies, without a transposition.
// Papers write y = x W with W (in, out); their W is the transpose of this one.
#pragma once

#include <cstddef>
#include <string>

#include "common/random/random.hpp"
#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct Linear {
    Tensor weight;  // (out, in)
    Tensor bias;    // (out), or empty: none

    /// x (.., in) of rank 2 or more to (.., out). Throws ShapeError when x, weight and bias do not
    /// fit.
    Tensor operator()(const Tensor& x) const;

    /// "weight", and "bias" where there is one (common/tensor/parameters.hpp).
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        visitor(std::string{"weight"}, layer.weight);
        if (layer.bias.size() != 0) visitor(std::string{"bias"}, layer.bias);
    }
};

/// Weights from a normal distribution of mean 0, and biases of 0.
Linear random_linear(Random& random, std::size_t in, std::size_t out, double stddev);

}  // namespace bert
