#include "ch01_attention_by_hand/three_stages.hpp"

#include <cmath>

#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

double dot_product(std::span<const Real> query, std::span<const Real> key) {
    if (query.size() != key.size()) {
        throw ShapeError{"dot_product: query (K=" + std::to_string(query.size()) +
                         ") and key (K=" + std::to_string(key.size()) + ") differ in width"};
    }
    double sum = 0.0;
    for (std::size_t c = 0; c < query.size(); ++c) {
        sum += static_cast<double>(query[c]) * static_cast<double>(key[c]);
    }
    return sum;
}

// [cosine]
double cosine_similarity(std::span<const Real> query, std::span<const Real> key) {
    const double dot = dot_product(query, key);
    const double squared_lengths = dot_product(query, query) * dot_product(key, key);
    if (squared_lengths == 0.0) {
        throw NumericError{"cosine_similarity: a vector of zeros has no direction"};
    }
    return dot / std::sqrt(squared_lengths);
}
// [cosine]

double AdditiveSimilarity::operator()(std::span<const Real> query,
                                      std::span<const Real> key) const {
    if (query_weight.num_rows() != combine.size() || key_weight.num_rows() != combine.size()) {
        throw ShapeError{"AdditiveSimilarity: query_weight " +
                         with_letters(query_weight.shape(), "AK") + " and key_weight " +
                         with_letters(key_weight.shape(), "AK") + " need one row for each of " +
                         with_letters(combine.shape(), "A")};
    }
    double score = 0.0;
    for (std::size_t a = 0; a < combine.size(); ++a) {
        const double hidden =
            dot_product(query_weight.row(a), query) + dot_product(key_weight.row(a), key);
        score += static_cast<double>(combine(a)) * std::tanh(hidden);
    }
    return score;
}

ThreeStages three_stages(const Tensor& query, const Tensor& keys, const Tensor& values,
                         const Similarity& similarity) {
    if (query.rank() != 1 || keys.rank() != 2 || values.rank() != 2 || keys.dim(0) == 0 ||
        keys.dim(0) != values.dim(0)) {
        throw ShapeError{"three_stages: query " + with_letters(query.shape(), "K") + ", keys " +
                         with_letters(keys.shape(), "SK") + " and values " +
                         with_letters(values.shape(), "SE") + " do not fit"};
    }
    // [stages]
    ThreeStages stages;
    // EXERCISE BEGIN 01-three-stages
    // STEP similarity    scores[j] = similarity(query, key j)         (S)
    stages.scores = Tensor(Shape{keys.dim(0)});
    for (std::size_t j = 0; j < keys.dim(0); ++j) {
        stages.scores(j) = static_cast<Real>(similarity(query.row(0), keys.row(j)));
    }
    require_finite("three_stages: scores", stages.scores);
    // STEP normalise     weights = softmax(scores)                    (S)
    stages.weights = softmax_naive(stages.scores);
    require_finite("three_stages: weights", stages.weights);
    // STEP weighted sum  output = sum over j of weights[j] * value j  (E)
    const Tensor weight_row = reshape(stages.weights, {1, keys.dim(0)});
    stages.output = reshape(matmul(weight_row, values), {values.dim(1)});
    // STUB: static_cast<void>(similarity);
    // EXERCISE END
    return stages;
    // [stages]
}

}  // namespace bert
