// The gradient of layer normalisation, for one row of D numbers.
//
//     n[d] = (x[d] - mean) r       r = 1 / sqrt(variance + epsilon)       y[d] = n[d] w[d] + b[d]
//
// With g = dL/dy, summed over all rows of the batch, since they share w and b:
//
//     dL/db[d] = sum of g[d]       dL/dw[d] = sum of g[d] n[d]
//
// What reaches n is h[d] = g[d] w[d]. A change of x[d] moves n[d] itself, and through mean and
// variance every n[e]. With
//
//     dmean/dx[d] = 1/D            dvariance/dx[d] = 2 (x[d] - mean) / D
//     dr/dx[d] = -(1/2) r^3 dvariance/dx[d] = -r^2 n[d] / D
//
// it follows that dn[e]/dx[d] = r ((e == d) - 1/D - n[e] n[d] / D), and summed over e
//
//     dL/dx[d] = r (h[d] - mean(h) - n[d] mean(h n))
//
// In words: the part of h that would only shift the row, and the part that would only stretch it,
// are taken away, because normalisation undoes both.
#include <algorithm>
#include <vector>

#include "ch07_encoder/layer_norm.hpp"

namespace bert {

namespace {

// One row; n is made anew from x, which costs less than to keep it.
struct Row {
    const Real* x;
    const Real* output_gradient;
    const Real* weight;
    RowStatistics statistics;
    Real* x_gradient;
    std::size_t width;

    double n(std::size_t d) const {
        return (static_cast<double>(x[d]) - statistics.mean) * statistics.inverse_deviation;
    }
    double g(std::size_t d) const { return static_cast<double>(output_gradient[d]); }
    double h(std::size_t d) const { return g(d) * static_cast<double>(weight[d]); }
};

// Sums over the rows of a share; both (D).
struct Sums {
    std::vector<double> weight;
    std::vector<double> bias;
};

// [row_gradient]
void row_gradient(const Row& row, Sums& sums) {
    // EXERCISE BEGIN 07-layer-norm-gradient
    // STEP sums       of g n and g for weight and bias, of h and h n for x
    double sum_h = 0.0;
    double sum_hn = 0.0;
    for (std::size_t d = 0; d < row.width; ++d) {
        sums.weight[d] += row.g(d) * row.n(d);
        sums.bias[d] += row.g(d);
        sum_h += row.h(d);
        sum_hn += row.h(d) * row.n(d);
    }
    const double mean_h = sum_h / static_cast<double>(row.width);
    const double mean_hn = sum_hn / static_cast<double>(row.width);
    // STEP x          r (h - mean(h) - n mean(h n))
    for (std::size_t d = 0; d < row.width; ++d)
        row.x_gradient[d] = static_cast<Real>(row.statistics.inverse_deviation *
                                              (row.h(d) - mean_h - row.n(d) * mean_hn));
    // STUB: sums.bias[0] += 0.0; row.x_gradient[0] = 0;
    // EXERCISE END
}
// [row_gradient]

Tensor total(const std::vector<Sums>& shares, std::vector<double> Sums::*which) {
    std::vector<double> sums(shares.front().weight.size());
    for (const Sums& share : shares) {
        for (std::size_t d = 0; d < sums.size(); ++d)
            sums[d] += (share.*which)[d];
    }
    Tensor result = Tensor::for_overwrite({sums.size()});
    std::transform(sums.begin(), sums.end(), result.mutable_data(),
                   [](double sum) { return static_cast<Real>(sum); });
    return result;
}

}  // namespace

std::vector<Tensor> layer_norm_gradient(const BackwardStep& step, double epsilon) {
    const Tensor& x = step.input(0);
    const Tensor& weight = step.input(1);
    const Tensor& g = step.output_gradient();
    const std::size_t width = weight.size();
    const std::size_t rows = x.num_rows();
    Tensor x_gradient = Tensor::for_overwrite(x.shape());
    Real* const out = x_gradient.mutable_data();
    // Fixed shares of the rows: the order of the sums does not depend on the number of threads.
    constexpr std::size_t num_shares = 16;
    std::vector<Sums> shares(num_shares, {std::vector<double>(width), std::vector<double>(width)});
#pragma omp parallel for schedule(static) if (x.size() > 65536)
    for (std::size_t share = 0; share < num_shares; ++share) {
        const std::size_t end = rows * (share + 1) / num_shares;
        for (std::size_t r = rows * share / num_shares; r < end; ++r) {
            const std::size_t at = r * width;
            row_gradient({x.data() + at, g.data() + at, weight.data(),
                          row_statistics(x.row(r), epsilon), out + at, width},
                         shares[share]);
        }
    }
    return {x_gradient, total(shares, &Sums::weight), total(shares, &Sums::bias)};
}

}  // namespace bert
