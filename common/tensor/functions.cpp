#include "common/tensor/functions.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "common/autograd/remember.hpp"

namespace bert {

namespace {

template <typename Function>
Tensor for_each_element(const Tensor& x, Function function) {
    Tensor y = Tensor::for_overwrite(x.shape());
    const Real* const in = x.data();
    Real* const out = y.mutable_data();
#pragma omp parallel for if (x.size() > 65536)
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = function(in[i]);
    return y;
}

// g[i] * slope(y[i])
template <typename Slope>
std::vector<Tensor> times_slope(const BackwardStep& step, Slope slope) {
    const Tensor& y = step.output();
    Tensor x_gradient = Tensor::for_overwrite(y.shape());
    const Real* const value = y.data();
    const Real* const g = step.output_gradient().data();
    Real* const out = x_gradient.mutable_data();
#pragma omp parallel for simd if (y.size() > 65536)
    for (std::size_t i = 0; i < y.size(); ++i)
        out[i] = g[i] * slope(value[i]);
    return {x_gradient};
}

// The exponent is never positive, so that nothing overflows; for a negative x the fraction
// 1 / (1 + e^-x) is e^x / (1 + e^x).
Real sigmoid_of(Real x) {
    const Real small = std::exp(-std::abs(x));
    return (x < 0 ? small : Real{1}) / (Real{1} + small);
}

}  // namespace

// y = s / c with s = e^x - e^-x, c = e^x + e^-x, s' = c, c' = s:
//
//     dy/dx = (c c - s s) / c^2 = 1 - y^2        dx = g (1 - y) (1 + y)
Tensor tanh(const Tensor& x) {
    const auto gradient = [](const BackwardStep& step) {
        return times_slope(step, [](Real y) { return (Real{1} - y) * (Real{1} + y); });
    };
    return remember(for_each_element(x, [](Real value) { return std::tanh(value); }), {x}, gradient,
                    Keep::output);
}

// y = 1 / (1 + e^-x):  dy/dx = e^-x / (1 + e^-x)^2 = y (1 - y)        dx = g y (1 - y)
Tensor sigmoid(const Tensor& x) {
    const auto gradient = [](const BackwardStep& step) {
        return times_slope(step, [](Real y) { return y * (Real{1} - y); });
    };
    return remember(for_each_element(x, sigmoid_of), {x}, gradient, Keep::output);
}

}  // namespace bert
