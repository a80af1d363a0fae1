#include "ch02_scaled_dot_product/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace bert {

// [softmax_row]
// Writes softmax(x) to y and returns the sum of the exponentials.
static double softmax_row(std::span<const Real> x, std::span<Real> y) {
    // EXERCISE BEGIN 02-stable-softmax
    // STEP largest        m = the largest x[i]
    const Real largest = *std::max_element(x.begin(), x.end());
    // STEP exponentials   exp(x[i] - m), and their sum
    double sum = 0.0;
    for (const Real value : x) {
        sum += std::exp(static_cast<double>(value - largest));
    }
    // STEP normalise      divide each by the sum
    for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] = static_cast<Real>(std::exp(static_cast<double>(x[i] - largest)) / sum);
    }
    return sum;
    // STUB: static_cast<void>(x); static_cast<void>(y); return 1.0;
    // EXERCISE END
}
// [softmax_row]

Tensor softmax(const Tensor& x) {
    if (x.rank() == 0 || x.dim(-1) == 0) {
        throw ShapeError{"softmax: shape " + to_string(x.shape()) +
                         " has no last axis to share out"};
    }
    Tensor y(x.shape());
    for (std::size_t r = 0; r < x.num_rows(); ++r) {
        // NaN, +infinity and an empty maximum all end in a sum that is not finite.
        if (!std::isfinite(softmax_row(x.row(r), y.mutable_row(r)))) {
            throw NumericError{"softmax: row " + std::to_string(r) +
                               " holds NaN, +infinity or nothing but -infinity"};
        }
    }
    return remember(y, {x}, softmax_gradient, Keep::output);
}

}  // namespace bert
