// Layer normalisation (Ba, Kiros, Hinton 2016): every row gets mean 0 and variance 1, then a scale
// and a shift of its own for each entry, which are learned.
//
//     y[d] = (x[d] - mean) / sqrt(variance + epsilon) * weight[d] + bias[d]
//
// mean and variance are those of the D numbers of one row, that is of one position of one example;
// the variance is the biased one, divided by D and not by D - 1, and epsilon stands inside the
// root.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/autograd/remember.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct LayerNorm {
    Tensor weight;  // (D)
    Tensor bias;    // (D)
    double epsilon = 1e-5;

    /// x (.., D) to the same shape. Throws ShapeError when the widths differ or are 0, NumericError
    /// naming the row that holds NaN or an infinity, std::invalid_argument unless epsilon is
    /// positive and finite.
    Tensor operator()(const Tensor& x) const;

    /// "weight" and "bias" (common/tensor/parameters.hpp).
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        visitor(std::string{"weight"}, layer.weight);
        visitor(std::string{"bias"}, layer.bias);
    }
};

/// Weight 1 and bias 0: a layer that only normalises.
LayerNorm unit_layer_norm(std::size_t width);

/// What a row is normalised with.
struct RowStatistics {
    double mean;
    double
        inverse_deviation;  // 1 / sqrt(variance + epsilon); NaN or 0 for a row that is not finite
};
RowStatistics row_statistics(std::span<const Real> row, double epsilon);

/// The gradient of a LayerNorm of this epsilon with respect to x, weight and bias, its inputs.
std::vector<Tensor> layer_norm_gradient(const BackwardStep& step, double epsilon);

}  // namespace bert
