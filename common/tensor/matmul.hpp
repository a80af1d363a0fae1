// Matrix products of the last two dimensions.
//
//     matmul              c[.., t, d] = sum over k of a[.., t, k] * b[.., k, d]
//     matmul_transpose_b  c[.., t, s] = sum over k of a[.., t, k] * b[.., s, k]      a b^T
//     matmul_transpose_a  c[.., k, d] = sum over t of a[.., t, k] * b[.., t, d]      a^T b
//
// Leading dimensions are a batch: equal on both sides, or missing on b, which then serves every
// matrix of a.
//
// Two ways give the product: `loop`, three plain loops with the sum in double, the oracle; and
// `library`, oneDNN on fixed tiles of the result, one thread a tile, so that the number of threads
// changes no bit. BERT_MATMUL=loop in the environment makes every product take the loop.
#pragma once

#include <memory>

#include "common/tensor/tensor.hpp"

namespace bert {

/// Each throws ShapeError naming both shapes when ranks, batches or inner widths do not fit.
Tensor matmul(const Tensor& a, const Tensor& b);
Tensor matmul_transpose_b(const Tensor& a, const Tensor& b);
Tensor matmul_transpose_a(const Tensor& a, const Tensor& b);

enum class MatmulMethod { loop, library };

/// The method in force; at the start what BERT_MATMUL says, else `library`.
/// Throws std::invalid_argument when BERT_MATMUL is neither word.
MatmulMethod matmul_method();
void set_matmul_method(MatmulMethod method);

/// A matrix (K, D), or with `transposed` (D, K), arranged once for many products with it.
class PackedMatrix {
  public:
    /// Throws ShapeError unless b has rank 2 and no dimension of size zero.
    explicit PackedMatrix(const Tensor& b, bool transposed = false);
    std::size_t rows() const;
    std::size_t columns() const;

    struct Parts;
    const Parts& parts() const { return *parts_; }

  private:
    std::shared_ptr<const Parts> parts_;
};

/// The same product, to rounding, as matmul (or matmul_transpose_b) with the matrix that was
/// packed.
Tensor matmul(const Tensor& a, const PackedMatrix& b);

}  // namespace bert
