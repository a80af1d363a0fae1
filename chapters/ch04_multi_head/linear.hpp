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
#include <string_view>

#include "common/random/random.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct Linear {
    Tensor weight;  // (out, in)
    Tensor bias;    // (out), or empty: none

    /// x (.., in) of rank 2 or more to (.., out). Throws ShapeError when x, weight and bias do not
    /// fit.
    Tensor operator()(const Tensor& x) const;

    /// Calls visitor(name, tensor) with "weight", and "bias" where there is one. The visitor may
    /// change the tensors of a layer that is not const.
    template <typename Visitor>
    void for_each_parameter(const Visitor& visitor) {
        visit(*this, visitor);
    }
    template <typename Visitor>
    void for_each_parameter(const Visitor& visitor) const {
        visit(*this, visitor);
    }

  private:
    template <typename Self, typename Visitor>
    static void visit(Self& self, const Visitor& visitor) {
        visitor(std::string{"weight"}, self.weight);
        if (self.bias.size() != 0) visitor(std::string{"bias"}, self.bias);
    }
};

/// Weights from a normal distribution of mean 0, and biases of 0.
Linear random_linear(Random& random, std::size_t in, std::size_t out, double stddev);

/// A visitor that puts `prefix` before each name: "weight" of a part becomes "query.weight".
template <typename Visitor>
auto with_prefix(std::string_view prefix, const Visitor& visitor) {
    return [prefix = std::string{prefix}, &visitor](const std::string& name, auto& tensor) {
        visitor(prefix + name, tensor);
    };
}

/// The number of trained numbers of a layer: the sizes of all its parameters.
template <typename Layer>
std::size_t parameter_count(const Layer& layer) {
    std::size_t count = 0;
    layer.for_each_parameter(
        [&count](const std::string&, const Tensor& parameter) { count += parameter.size(); });
    return count;
}

}  // namespace bert
