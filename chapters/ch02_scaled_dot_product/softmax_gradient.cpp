// The gradient of softmax.
//
// From y[j] = exp(x[j]) / sum follows dy[j]/dx[i] = y[j] * ((i == j) - y[i]). Summed over all
// outputs j that x[i] reaches, with g[j] = dL/dy[j]:
//
//     dL/dx[i] = sum over j of g[j] y[j] ((i == j) - y[i]) = y[i] * (g[i] - sum over j of y[j]
//     g[j])
#include "ch02_scaled_dot_product/softmax.hpp"

namespace bert {

std::vector<Tensor> softmax_gradient(const BackwardStep& step) {
    const Tensor& y = step.output();
    const Tensor& g = step.output_gradient();
    Tensor x_gradient(y.shape());
    for (std::size_t r = 0; r < y.num_rows(); ++r) {
        double mean = 0.0;  // of g, weighted by y
        for (std::size_t j = 0; j < y.row(r).size(); ++j) {
            mean += static_cast<double>(y.row(r)[j]) * static_cast<double>(g.row(r)[j]);
        }
        for (std::size_t i = 0; i < y.row(r).size(); ++i) {
            const double difference = static_cast<double>(g.row(r)[i]) - mean;
            x_gradient.mutable_row(r)[i] =
                static_cast<Real>(static_cast<double>(y.row(r)[i]) * difference);
        }
    }
    return {x_gradient};
}

}  // namespace bert
