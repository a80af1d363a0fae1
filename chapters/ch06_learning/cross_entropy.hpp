// Cross-entropy: how surprised a model is by the right answers, and what training makes small.
//
//     log p[v] = x[v] - log(sum over u of exp(x[u]))              log_softmax
//     loss     = -sum over v of t[v] log p[v]                     mean over all rows that count
//
// x the logits of one row, V classes, t the target distribution: 1 at the label y and 0 elsewhere,
// or with label smoothing e (Szegedy et al. 2016; Vaswani et al. 2017, section 5.4)
//
//     t[v] = (1 - e) (v == y) + e / V
#pragma once

#include <cstdint>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// Logarithms of softmax along the last axis; same shape. Unlike log(softmax(x)) they do not end at
/// log(0) when a probability underflows. Throws ShapeError without a last axis, NumericError naming
/// the row that holds NaN, +infinity or nothing but -infinity.
Tensor log_softmax(const Tensor& x);

struct CrossEntropyOptions {
    double label_smoothing = 0.0;       // e, in [0, 1)
    std::int64_t ignored_label = -100;  // rows with this label count for nothing
};

/// The mean loss of the rows of logits (.., V) that do not carry the ignored label, as a tensor of
/// one number; 0, with gradient 0, when all do. labels has one entry for each row. As PyTorch's
/// cross_entropy, but for that 0.
/// Throws ShapeError when the numbers of labels and rows differ, std::invalid_argument for a label
/// outside [0, V) and for a smoothing outside [0, 1), NumericError naming the row as log_softmax.
Tensor cross_entropy(const Tensor& logits, const std::vector<std::int64_t>& labels,
                     const CrossEntropyOptions& options = {});

}  // namespace bert
