#include "common/tensor/matmul_kernels.hpp"

namespace bert {

namespace {

// c[m, n] = sum over k of a[m, k] * b[k, n]
void multiply(const Product& product) {
    const auto& [m_size, n_size, k_size, a, b, c, c_stride] = product;
    for (std::size_t m = 0; m < m_size; ++m) {
        for (std::size_t n = 0; n < n_size; ++n) {
            double sum = 0.0;  // an oracle should not round on the way
            for (std::size_t k = 0; k < k_size; ++k) {
                sum += static_cast<double>(a.data[m * a.row_stride + k * a.column_stride]) *
                       static_cast<double>(b.data[k * b.row_stride + n * b.column_stride]);
            }
            c[m * c_stride + n] = static_cast<Real>(sum);
        }
    }
}

}  // namespace

void multiply_with_loop(const std::vector<Product>& batch) {
    for (const Product& product : batch)
        multiply(product);
}

}  // namespace bert
