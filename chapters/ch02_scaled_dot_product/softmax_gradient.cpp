// The gradient of softmax.
//
// From y[j] = exp(x[j]) / sum follows dy[j]/dx[i] = y[j] * ((i == j) - y[i]). Summed over all
// outputs j that x[i] reaches, with g[j] = dL/dy[j]:
//
//     dL/dx[i] = sum over j of g[j] y[j] ((i == j) - y[i])
//              = y[i] * (g[i] - sum over j of y[j] g[j])
#include "ch02_scaled_dot_product/softmax.hpp"

#include <span>

namespace bert {

std::vector<Tensor> softmax_gradient(const BackwardStep& step) {
    const Tensor& y = step.output();
    const Tensor& g = step.output_gradient();
    Tensor x_gradient = Tensor::for_overwrite(y.shape());
    Real* const out = x_gradient.mutable_data();
    const std::size_t width = y.dim(-1);
#pragma omp parallel for if (y.size() > 16384)
    for (std::size_t r = 0; r < y.num_rows(); ++r) {
        const std::span<const Real> y_row = y.row(r);
        const std::span<const Real> g_row = g.row(r);
        double mean = 0.0;  // of g, weighted by y
        for (std::size_t j = 0; j < width; ++j) {
            mean += static_cast<double>(y_row[j]) * static_cast<double>(g_row[j]);
        }
        for (std::size_t i = 0; i < width; ++i) {
            out[r * width + i] = y_row[i] * static_cast<Real>(static_cast<double>(g_row[i]) - mean);
        }
    }
    return {x_gradient};
}

}  // namespace bert
