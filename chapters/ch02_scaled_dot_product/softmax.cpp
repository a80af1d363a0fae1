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
    for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] = std::exp(x[i] - largest);
        sum += static_cast<double>(y[i]);
    }
    // STEP normalise      divide each by the sum
    for (Real& weight : y) {
        weight = static_cast<Real>(static_cast<double>(weight) / sum);
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
    Tensor y = Tensor::for_overwrite(x.shape());
    Real* const out = y.mutable_data();
    const std::size_t width = x.dim(-1);
    const std::size_t rows = x.num_rows();
    std::size_t first_bad = rows;
#pragma omp parallel for reduction(min : first_bad) if (x.size() > 16384)
    for (std::size_t r = 0; r < rows; ++r) {
        // NaN, +infinity and an empty maximum all end in a sum that is not finite.
        if (!std::isfinite(softmax_row(x.row(r), {out + r * width, width}))) {
            first_bad = std::min(first_bad, r);
        }
    }
    if (first_bad != rows) {
        throw NumericError{"softmax: row " + std::to_string(first_bad) +
                           " holds NaN, +infinity or nothing but -infinity"};
    }
    return remember(y, {x}, softmax_gradient, Keep::output);
}

}  // namespace bert
