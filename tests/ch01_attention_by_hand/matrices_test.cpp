#include <limits>

#include "ch01_attention_by_hand/attention_by_hand.hpp"
#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

MatrixSteps with_matrices(const ProjectionWeights& weights) {
    return attention_with_matrices(to_tensor(three_inputs()), to_tensor(weights.key),
                                   to_tensor(weights.query), to_tensor(weights.value));
}

}  // namespace

TEST_CASE("attention_with_matrices: equals the loops on both examples", "[ch01]") {
    // Largest error seen: 2.7e-7 (float, outputs near 8), 8.9e-16 (double).
    const double tolerance = by_precision(1e-6, 4e-15);
    for (const auto& weights : {worked_example_weights(), asymmetric_example_weights()}) {
        const auto by_hand = attend_by_hand(three_inputs(), weights);
        const MatrixSteps matrices = with_matrices(weights);
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t c = 0; c < 3; ++c) {
                CHECK(matrices.keys(i, c) == by_hand[i].key[c]);
                CHECK(matrices.queries(i, c) == by_hand[i].query[c]);
                CHECK(matrices.values(i, c) == by_hand[i].value[c]);
                CHECK(matrices.scores(i, c) == by_hand[i].scores[c]);
                CHECK_THAT(matrices.weights(i, c), WithinAbs(by_hand[i].weights[c], tolerance));
                CHECK_THAT(matrices.output(i, c), WithinAbs(by_hand[i].output[c], tolerance));
            }
        }
    }
}

TEST_CASE("attention_with_matrices: equals PyTorch", "[ch01]") {
    const auto expected = golden("ch01_attention");
    const MatrixSteps steps = attention_with_matrices(
        expected.at("x"), expected.at("w_key"), expected.at("w_query"), expected.at("w_value"));
    // Largest error seen: 3e-7 (float), 9e-16 (double), at values near 1.
    const double tolerance = by_precision(1e-6, 1e-14);
    check_close("scores", steps.scores, expected.at("scores"), tolerance);
    check_close("weights", steps.weights, expected.at("weights"), tolerance);
    check_close("output", steps.output, expected.at("output"), tolerance);
}

TEST_CASE("attention_with_matrices: shapes that do not fit are refused", "[ch01]") {
    const Tensor x(Shape{3, 4});
    const Tensor w(Shape{4, 3});
    CHECK_THROWS_AS(attention_with_matrices(x, Tensor(Shape{5, 3}), w, w), ShapeError);
    CHECK_THROWS_AS(attention_with_matrices(x, Tensor(Shape{4, 2}), w, w), ShapeError);
    CHECK_THROWS_AS(attention_with_matrices(x, w, w, Tensor(Shape{4})), ShapeError);
    CHECK_THROWS_WITH(attention_with_matrices(x, Tensor(Shape{5, 3}), w, w),
                      ContainsSubstring("(T=3, K=4)") && ContainsSubstring("(K=5, D=3)"));
}

TEST_CASE("softmax_naive: rows are independent of each other", "[ch01]") {
    const Tensor both = softmax_naive(Tensor{{1, 2, 3}, {0, 0, 5}});
    const Tensor second = softmax_naive(Tensor{{0, 0, 5}});
    for (std::size_t c = 0; c < 3; ++c)
        CHECK(both(1, c) == second(0, c));
    CHECK(both(0, 0) < both(0, 1));
}
