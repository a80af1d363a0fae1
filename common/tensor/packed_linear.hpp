// A linear layer made ready for many products: the weight in the order in which oneDNN reads it,
// the bias and the function after it done while the results are still in the registers.
//
//     y[m, n] = after(sum over k of x[m, k] weight[n, k] + bias[n])
//
// It exists for float alone; programs in double multiply as matmul.hpp does.
#pragma once

#include <cstddef>
#include <memory>

#include "common/tensor/tensor.hpp"

namespace bert {

/// What is applied to every number of the result; gelu by the error function, gelu_tanh by the
/// hyperbolic tangent.
enum class After { nothing, relu, gelu, gelu_tanh };

/// Some columns of a weight: `outputs` rows of `inputs` numbers, the rows `row_stride` apart.
struct WeightPart {
    const Real* numbers;
    std::size_t outputs;
    std::size_t inputs;
    std::size_t row_stride;
};

class PackedLinear {
  public:
    /// Copies weight (N, K) and bias (N). Throws ShapeError for other shapes and for sizes of zero,
    /// std::logic_error where Real is not float.
    PackedLinear(const Tensor& weight, const Tensor& bias, After after = After::nothing);
    PackedLinear(const WeightPart& weight, const Tensor& bias, After after = After::nothing);

    std::size_t inputs() const;   // K
    std::size_t outputs() const;  // N

    /// x (rows, K) to y (rows, N), both without gaps, computed by the calling thread alone. The
    /// same row gives the same numbers in every call with as many rows.
    void operator()(const Real* x, std::size_t rows, Real* y) const;

  private:
    struct Parts;
    std::shared_ptr<const Parts> parts_;
};

}  // namespace bert
