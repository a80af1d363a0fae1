#include <cmath>
#include <limits>

#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "ch01_attention_by_hand/famous_instances.hpp"
#include "ch01_attention_by_hand/three_stages.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

const double ln2 = std::log(2.0);
const double ln3 = std::log(3.0);
const double ln5 = std::log(5.0);

// A vector of numbers computed here, for which a nested list would need casts.
Tensor vector(std::vector<double> values) {
    Tensor result(Shape{values.size()});
    for (std::size_t i = 0; i < values.size(); ++i)
        result(i) = static_cast<Real>(values[i]);
    return result;
}

const Tensor keys{{0, 1, 1}, {4, 4, 0}, {2, 3, 1}};
const Tensor values{{1, 2, 3}, {2, 8, 0}, {2, 6, 3}};
const Tensor query{1, 0, 2};

// Largest errors seen: 4.8e-7 at values near 7 (float), 8.9e-16 (double).
const double tolerance = by_precision(1e-6, 1e-12);

}  // namespace

TEST_CASE("N53: cosine similarity of input 1 with the three keys", "[ch01]") {
    const ThreeStages stages = three_stages(query, keys, values, cosine_similarity);
    // q . k / (|q| |k|): 2 / sqrt(5 * 2), 4 / sqrt(5 * 32), 4 / sqrt(5 * 14)
    check_close("scores", stages.scores,
                vector({2 / std::sqrt(10.0), 4 / std::sqrt(160.0), 4 / std::sqrt(70.0)}),
                tolerance);
    check_close("scores", stages.scores, Tensor{0.63245553, 0.31622777, 0.47809144},
                by_precision(1e-6, 1e-8));
    check_close("output", stages.output, Tensor{1.61328047, 5.01687652, 2.15436804},
                by_precision(1e-6, 1e-8));  // the printed values end at eight decimals
}

TEST_CASE("three_stages: with the dot product it is the attention of the worked example",
          "[ch01]") {
    const MatrixSteps steps = attention_with_matrices(
        to_tensor(three_inputs()), to_tensor(asymmetric_example_weights().key),
        to_tensor(asymmetric_example_weights().query),
        to_tensor(asymmetric_example_weights().value));
    for (std::size_t i = 0; i < 3; ++i) {
        const Tensor row = vector({static_cast<double>(steps.queries(i, 0)),
                                   static_cast<double>(steps.queries(i, 1)),
                                   static_cast<double>(steps.queries(i, 2))});
        const ThreeStages stages = three_stages(row, steps.keys, steps.values, dot_product);
        for (std::size_t c = 0; c < 3; ++c) {
            CHECK(stages.scores(c) == steps.scores(i, c));
            CHECK_THAT(stages.weights(c), WithinAbs(steps.weights(i, c), tolerance));
            CHECK_THAT(stages.output(c), WithinAbs(steps.output(i, c), tolerance));
        }
    }
}

TEST_CASE("cosine_similarity: the length of either vector does not matter", "[ch01]") {
    const Tensor q{1, 2, -1};
    const Tensor k{0.5, -3, 2};
    const Tensor long_q{7, 14, -7};
    const double expected = (0.5 - 6 - 2) / std::sqrt(6.0 * (0.25 + 9 + 4));
    CHECK_THAT(cosine_similarity(q.row(0), k.row(0)), WithinAbs(expected, 1e-12));
    CHECK_THAT(cosine_similarity(long_q.row(0), k.row(0)), WithinAbs(expected, 1e-12));
    CHECK_THAT(cosine_similarity(q.row(0), q.row(0)), WithinAbs(1.0, 1e-12));
}

TEST_CASE("AdditiveSimilarity: worked by hand", "[ch01]") {
    // Hidden unit 1: q0 + 2 k0 = ln 2 -> tanh 0.6; hidden unit 2: -q1 + k0 = ln 3 -> tanh 0.8.
    Tensor query_weight{{1, 0}, {0, -1}};
    Tensor key_weight(Shape{2, 1}, {2, 1});
    const AdditiveSimilarity additive{query_weight, key_weight, Tensor{10, 100}};
    const Tensor q = vector({ln2 - 1.0, 0.5 - ln3});
    const Tensor k = vector({0.5});
    CHECK_THAT(additive(q.row(0), k.row(0)), WithinAbs(86.0, by_precision(1e-5, 1e-12)));
}

TEST_CASE("N48: HAN attention with a learned query", "[ch01]") {
    // tanh(ln 2) = 0.6 and tanh(ln 3) = 0.8, so that u . u_w is ln 2, ln 5 and ln 10, and the
    // weights are 2/17, 5/17 and 10/17. The bias shifts W h back by what W adds: W = 2 I.
    const Tensor hidden = vector({ln2, 0, 0, ln3, ln2, ln3}).reshaped({3, 2});
    const Tensor half = vector({ln2 / 2 + 1, 1, 1, ln3 / 2 + 1, ln2 / 2 + 1, ln3 / 2 + 1});
    const Tensor u_w = vector({ln2 / 0.6, ln5 / 0.8});
    const ThreeStages plain = han_attention(hidden, Tensor{{1, 0}, {0, 1}}, Tensor{0, 0}, u_w);
    check_close("weights", plain.weights, vector({2.0 / 17, 5.0 / 17, 10.0 / 17}), tolerance);
    check_close("output", plain.output, vector({ln2 * 12 / 17, ln3 * 15 / 17}), tolerance);
    // 2 (h / 2 + 1) - 2 = h gives the same keys, hence the same weights, of other values.
    const ThreeStages shifted =
        han_attention(half.reshaped({3, 2}), Tensor{{2, 0}, {0, 2}}, Tensor{-2, -2}, u_w);
    check_close("weights", shifted.weights, plain.weights, tolerance);
    check_close("output", shifted.output, vector({ln2 * 6 / 17 + 1, ln3 * 7.5 / 17 + 1}),
                tolerance);
}

TEST_CASE("N49: seq2seq attention makes a new context at each step", "[ch01]") {
    const Tensor encoder_states{{1, 0}, {0, 1}, {1, 1}};
    // Scores ln 2, ln 3, ln 6 give weights 2/11, 3/11, 6/11.
    const ThreeStages first = seq2seq_attention(vector({ln2, ln3}), encoder_states);
    check_close("weights", first.weights, vector({2.0 / 11, 3.0 / 11, 6.0 / 11}), tolerance);
    check_close("context", first.output, vector({8.0 / 11, 9.0 / 11}), tolerance);
    // Scores ln 3, 0, ln 3 give weights 3/7, 1/7, 3/7.
    const ThreeStages second = seq2seq_attention(vector({ln3, 0}), encoder_states);
    check_close("context", second.output, vector({6.0 / 7, 4.0 / 7}), tolerance);
}

TEST_CASE("three_stages: equal keys give the mean of the values", "[ch01]") {
    const Tensor same{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    const ThreeStages stages = three_stages(query, same, values, dot_product);
    check_close("output", stages.output, vector({5.0 / 3, 16.0 / 3, 2.0}), tolerance);
}

TEST_CASE("three_stages: one key takes all the weight", "[ch01]") {
    const ThreeStages stages = three_stages(query, Tensor(Shape{1, 3}, {3, 1, 4}),
                                            Tensor(Shape{1, 2}, {5, 9}), dot_product);
    CHECK(stages.weights(0) == 1);
    CHECK(stages.output == Tensor{5, 9});
}

TEST_CASE("three_stages: what does not fit is refused", "[ch01]") {
    CHECK_THROWS_AS(three_stages(Tensor{1, 2}, keys, values, dot_product), ShapeError);
    CHECK_THROWS_AS(three_stages(query, keys, Tensor(Shape{2, 3}), dot_product), ShapeError);
    CHECK_THROWS_AS(three_stages(Tensor{{1, 0, 2}, {1, 0, 2}}, keys, values, dot_product),
                    ShapeError);
    CHECK_THROWS_AS(three_stages(query, Tensor(Shape{0, 3}), Tensor(Shape{0, 3}), dot_product),
                    ShapeError);
    CHECK_THROWS_AS(three_stages(Tensor{0, 0, 0}, keys, values, cosine_similarity), NumericError);
    CHECK_THROWS_WITH(cosine_similarity(query.row(0), Tensor{0, 0, 0}.row(0)),
                      ContainsSubstring("has no direction"));
    const AdditiveSimilarity wrong_keys{Tensor{{1, 0, 0}, {0, 1, 0}}, Tensor(Shape{1, 3}),
                                        Tensor{1, 1}};
    CHECK_THROWS_AS(three_stages(query, keys, values, wrong_keys), ShapeError);
    const AdditiveSimilarity wrong{Tensor{{1, 0, 0}}, Tensor{{1, 0, 0}, {0, 1, 0}}, Tensor{1, 1}};
    CHECK_THROWS_AS(three_stages(query, keys, values, wrong), ShapeError);
    CHECK_THROWS_AS(seq2seq_attention(Tensor{1, 2, 3}, Tensor{{1, 0}, {0, 1}}), ShapeError);
    CHECK_THROWS_AS(han_attention(values, Tensor{{1, 0}, {0, 1}}, Tensor{0, 0}, Tensor{1, 1}),
                    ShapeError);
}

TEST_CASE("three_stages: a score that is not a number is named", "[ch01]") {
    const Tensor broken = vector({1, std::numeric_limits<double>::quiet_NaN(), 2});
    CHECK_THROWS_AS(three_stages(broken, keys, values, dot_product), NumericError);
    CHECK_THROWS_WITH(three_stages(broken, keys, values, dot_product),
                      ContainsSubstring("three_stages: scores: element (0)"));
    // exp(1000) overflows, and no weight may be NaN unnoticed.
    CHECK_THROWS_WITH(three_stages(Tensor{1000, 0, 0}, keys, values, dot_product),
                      ContainsSubstring("three_stages: weights"));
}
