// The gradients of the activations. Each output has one input: dL/dx = g f'(x), with g = dL/dy.
//
//     relu        f' = 1 where x > 0, else 0 (at 0, where there is none, 0 is taken)
//     gelu        f = x P(x), P' = p, the normal density:   f' = P(x) + x p(x)
//     gelu_tanh   f = x (1 + t) / 2, t = tanh(u), t' = (1 - t^2) u':
//                 f' = (1 + t) / 2 + x (1 - t^2) u' / 2
//                 u = c (x + a x^3),  u' = c (1 + 3 a x^2),  c = sqrt(2 / pi),  a = 0.044715
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ch07_encoder/activations.hpp"

namespace bert {

namespace {

// Far from 0 the slope of both forms is exactly 0 or 1; nearer, x^2 does not overflow.
constexpr double farthest = 40.0;

template <typename Slope>
std::vector<Tensor> times_slope(const BackwardStep& step, const Tensor& at, const Slope& slope) {
    const Real* const g = step.output_gradient().data();
    const Real* const x = at.data();
    Tensor x_gradient = Tensor::for_overwrite(at.shape());
    Real* const out = x_gradient.mutable_data();
#pragma omp parallel for if (at.size() > 65536)
    for (std::size_t i = 0; i < at.size(); ++i)
        out[i] = static_cast<Real>(static_cast<double>(g[i]) * slope(static_cast<double>(x[i])));
    return {x_gradient};
}

double gelu_slope(double value) {
    const double x = std::clamp(value, -farthest, farthest);
    const double distribution = 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2));
    const double density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return distribution + x * density;
}

double gelu_tanh_slope(double value) {
    const double x = std::clamp(value, -farthest, farthest);
    const double scale = std::sqrt(2.0 / std::numbers::pi);
    const double t = std::tanh(scale * (x + 0.044715 * x * x * x));
    const double inner_slope = scale * (1.0 + 3.0 * 0.044715 * x * x);
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner_slope;
}

}  // namespace

// y > 0 exactly where x > 0
std::vector<Tensor> relu_gradient(const BackwardStep& step) {
    const Real* const y = step.output().data();
    const Real* const g = step.output_gradient().data();
    Tensor x_gradient = Tensor::for_overwrite(step.output().shape());
    Real* const out = x_gradient.mutable_data();
#pragma omp parallel for simd if (x_gradient.size() > 65536)
    for (std::size_t i = 0; i < x_gradient.size(); ++i) {
        const Real gradient = g[i];  // read in any case, so that the choice needs no jump
        out[i] = y[i] > 0 ? gradient : Real{0};
    }
    return {x_gradient};
}

std::vector<Tensor> gelu_gradient(const BackwardStep& step) {
    return times_slope(step, step.input(0), gelu_slope);
}

std::vector<Tensor> gelu_tanh_gradient(const BackwardStep& step) {
    return times_slope(step, step.input(0), gelu_tanh_slope);
}

}  // namespace bert
