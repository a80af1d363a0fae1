#include <omp.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "ch06_learning/cross_entropy.hpp"
#include "ch06_learning/row_sums.hpp"
#include "common/autograd/remember.hpp"
#include "common/tensor/exponential.hpp"

namespace bert {

double RowSums::log_probability(std::size_t row, Real x) const {
    return static_cast<double>(x) - static_cast<double>(largest[row]) - std::log(sum[row]);
}

RowSums row_sums(const Tensor& x) {
    if (x.rank() == 0 || x.dim(-1) == 0) {
        throw ShapeError{"log_softmax: shape " + to_string(x.shape()) +
                         " has no last axis to share out"};
    }
    const std::size_t width = x.dim(-1);
    const std::size_t rows = x.num_rows();
    RowSums result{std::vector<Real>(rows), std::vector<double>(rows)};
    // Only the sums are wanted: a row of space for each thread, made before there are several.
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    Tensor exponentials = Tensor::for_overwrite({threads, width});
    Real* const space = exponentials.mutable_data();
#pragma omp parallel for if (x.size() > 16384)
    for (std::size_t r = 0; r < rows; ++r) {
        const Real* const row = x.data() + r * width;
        Real* const own = space + static_cast<std::size_t>(omp_get_thread_num()) * width;
        result.largest[r] = *std::max_element(row, row + width);
        result.sum[r] = shifted_exponentials(row, result.largest[r], width, own);
    }
    for (std::size_t r = 0; r < rows; ++r) {
        if (std::isfinite(result.sum[r])) continue;
        throw NumericError{"log_softmax: row " + std::to_string(r) +
                           " holds NaN, +infinity or nothing but -infinity"};
    }
    return result;
}

// y[i] = x[i] - log(sum over j of exp(x[j])), so dy[j]/dx[i] = (i == j) - p[i] with p = exp(y):
//
//     dL/dx[i] = g[i] - p[i] * sum over j of g[j]
static std::vector<Tensor> log_softmax_gradient(const BackwardStep& step) {
    const Tensor& y = step.output();
    const Tensor& g = step.output_gradient();
    const std::size_t width = y.dim(-1);
    Tensor x_gradient = Tensor::for_overwrite(y.shape());
    Real* const out = x_gradient.mutable_data();
#pragma omp parallel for if (y.size() > 65536)
    for (std::size_t r = 0; r < y.num_rows(); ++r) {
        Real* const row = out + r * width;
        double sum = 0.0;
        for (const Real gradient : g.row(r))
            sum += static_cast<double>(gradient);
        shifted_exponentials(y.data() + r * width, 0, width, row);
        for (std::size_t i = 0; i < width; ++i)
            row[i] = g.row(r)[i] - row[i] * static_cast<Real>(sum);
    }
    return {x_gradient};
}

// [log_softmax]
Tensor log_softmax(const Tensor& x) {
    const RowSums sums = row_sums(x);
    Tensor y = Tensor::for_overwrite(x.shape());
    for (std::size_t r = 0; r < x.num_rows(); ++r) {
        const std::span<Real> row = y.mutable_row(r);
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = static_cast<Real>(sums.log_probability(r, x.row(r)[i]));
    }
    return remember(y, {x}, log_softmax_gradient, Keep::output);
}
// [log_softmax]

}  // namespace bert
