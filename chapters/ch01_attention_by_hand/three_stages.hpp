// Attention seen as three stages, of which only the first has variants.
//
//     1. similarity      score[j] = f(query, key[j])
//     2. normalise       weight = softmax(score)
//     3. weighted sum    output = sum over j of weight[j] * value[j]
#pragma once

#include <functional>
#include <span>

#include "common/tensor/tensor.hpp"

namespace bert {

/// How alike a query and a key are; any real number.
using Similarity = std::function<double(std::span<const Real> query, std::span<const Real> key)>;

struct ThreeStages {
    Tensor scores;   // (S)
    Tensor weights;  // (S), sums to 1
    Tensor output;   // (E)
};

/// query (K), keys (S, K), values (S, E). Throws ShapeError when they do not fit, NumericError when
/// a score or, for scores beyond 709, a weight is not finite.
ThreeStages three_stages(const Tensor& query, const Tensor& keys, const Tensor& values,
                         const Similarity& similarity);

/// q . k. Throws ShapeError when the widths differ, as does the next one.
double dot_product(std::span<const Real> query, std::span<const Real> key);

/// q . k / (|q| |k|), in [-1, 1]. Throws NumericError when either is zero: it has no direction.
double cosine_similarity(std::span<const Real> query, std::span<const Real> key);

/// A small network (Bahdanau et al. 2015): v . tanh(W_q q + W_k k).
struct AdditiveSimilarity {
    Tensor query_weight;  // W_q (A, K)
    Tensor key_weight;    // W_k (A, width of a key)
    Tensor combine;       // v (A)

    /// Throws ShapeError when the widths do not fit.
    double operator()(std::span<const Real> query, std::span<const Real> key) const;
};

}  // namespace bert
