#include "ch06_learning/cross_entropy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

#include "ch06_learning/row_sums.hpp"
#include "common/autograd/remember.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/exponential.hpp"

namespace bert {

namespace {

void require_labels(const Tensor& logits, const std::vector<std::int64_t>& labels,
                    const CrossEntropyOptions& options) {
    if (!(options.label_smoothing >= 0.0 && options.label_smoothing < 1.0)) {
        throw std::invalid_argument{"cross_entropy: label_smoothing (found " +
                                    std::to_string(options.label_smoothing) +
                                    ", expected at least 0 and below 1)"};
    }
    if (labels.size() != logits.num_rows()) {
        throw ShapeError{"cross_entropy: logits " + with_letters(logits.shape(), "V") + " have " +
                         std::to_string(logits.num_rows()) + " rows, " +
                         std::to_string(labels.size()) + " labels given"};
    }
    const auto classes = static_cast<std::int64_t>(logits.dim(-1));
    for (std::size_t r = 0; r < labels.size(); ++r) {
        const std::int64_t label = labels[r];
        if (label == options.ignored_label || (label >= 0 && label < classes)) continue;
        throw std::invalid_argument{"cross_entropy: label of row " + std::to_string(r) +
                                    " (found " + std::to_string(label) + ", expected 0 to " +
                                    std::to_string(classes - 1) + " or the ignored " +
                                    std::to_string(options.ignored_label) + ")"};
    }
}

// -sum over v of t[v] log p[v] = -(1 - e) log p[y] - e mean of log p
double row_loss(const Tensor& logits, std::size_t r, std::int64_t label, const RowSums& sums,
                double smoothing) {
    const std::span<const Real> x = logits.row(r);
    double loss = -(1.0 - smoothing) * sums.log_probability(r, x[static_cast<std::size_t>(label)]);
    if (smoothing > 0.0) {
        double mean = 0.0;  // of x - m
        for (const Real value : x)
            mean += static_cast<double>(value) - static_cast<double>(sums.largest[r]);
        mean /= static_cast<double>(x.size());
        loss -= smoothing * (mean - std::log(sums.sum[r]));
    }
    return loss;
}

// What the gradient needs besides the logits.
struct CrossEntropyGradient {
    std::vector<std::int64_t> labels;
    RowSums sums;
    CrossEntropyOptions options;
    std::size_t counted;

    // d log p[u] / dx[v] = (u == v) - p[v], and the targets sum to 1:
    //
    //     dL/dx[v] = g / N * (p[v] - t[v])            N rows that count
    std::vector<Tensor> operator()(const BackwardStep& step) const {
        const Tensor& logits = step.input(0);
        const std::size_t width = logits.dim(-1);
        Tensor gradient = Tensor::for_overwrite(logits.shape());
        Real* const out = gradient.mutable_data();
        const double scale = static_cast<double>(*step.output_gradient().data()) /
                             static_cast<double>(std::max<std::size_t>(counted, 1));
        const double smoothed = options.label_smoothing / static_cast<double>(width);
#pragma omp parallel for if (logits.size() > 65536)
        for (std::size_t r = 0; r < labels.size(); ++r) {
            Real* const row = out + r * width;
            if (labels[r] == options.ignored_label) {
                std::fill_n(row, width, Real{0});
                continue;
            }
            shifted_exponentials(logits.data() + r * width, sums.largest[r], width, row);
            const Real to_probability = static_cast<Real>(scale / sums.sum[r]);
            const Real target = static_cast<Real>(scale * smoothed);
            for (std::size_t v = 0; v < width; ++v)
                row[v] = row[v] * to_probability - target;
            row[labels[r]] -= static_cast<Real>(scale * (1.0 - options.label_smoothing));
        }
        return {gradient};
    }
};

}  // namespace
Tensor cross_entropy(const Tensor& logits, const std::vector<std::int64_t>& labels,
                     const CrossEntropyOptions& options) {
    const RowSums sums = row_sums(logits);
    require_labels(logits, labels, options);
    std::vector<double> losses(labels.size());
#pragma omp parallel for if (logits.size() > 65536)
    for (std::size_t r = 0; r < labels.size(); ++r) {
        if (labels[r] == options.ignored_label) continue;
        losses[r] = row_loss(logits, r, labels[r], sums, options.label_smoothing);
    }
    const double total = std::accumulate(losses.begin(), losses.end(), 0.0);
    const auto counted = labels.size() - static_cast<std::size_t>(std::count(
                                             labels.begin(), labels.end(), options.ignored_label));
    const double mean = counted > 0 ? total / static_cast<double>(counted) : 0.0;
    return remember(Tensor(Shape{}, {static_cast<Real>(mean)}), {logits},
                    CrossEntropyGradient{labels, sums, options, counted}, Keep::inputs);
}

}  // namespace bert
