#include "ch02_scaled_dot_product/attention.hpp"

#include <cmath>
#include <limits>

#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch02_scaled_dot_product/word_attention.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

// Values near 1 to 8; largest errors seen: 4.8e-7 (float), 8.9e-16 (double).
const double tolerance = by_precision(1e-6, 1e-12);

const double ln2 = std::log(2.0);
const double ln5 = std::log(5.0);

}  // namespace

TEST_CASE("attention: scores ln 1 2 and 5 worked by hand", "[ch02]") {
    // Width 4, so the scale is 1/2; the query picks the first entry of each key and doubles it.
    Tensor key(Shape{3, 4}, {0, 9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 9});
    key(1, 0) = static_cast<Real>(ln2);
    key(2, 0) = static_cast<Real>(ln5);
    const auto [output, weights] =
        attention(Tensor(Shape{1, 4}, {2, 0, 0, 0}), key, Tensor{{8, 0}, {0, 8}, {8, 8}});
    check_close("weights", weights, Tensor(Shape{1, 3}, {0.125, 0.25, 0.625}), tolerance);
    check_close("output", output, Tensor(Shape{1, 2}, {6, 7}), tolerance);
}

TEST_CASE("N09: scores 112 and 96 over 8 are 14 and 12", "[ch02]") {
    const ThinkingMachines example = thinking_machines();
    const Tensor unscaled = matmul_transpose_b(example.query, example.key);
    CHECK(unscaled(0, 0) == 112);
    CHECK(unscaled(0, 1) == 96);
    const Tensor scores = attention_scores(example.query, example.key);
    CHECK(scores(0, 0) == 14);
    CHECK(scores(0, 1) == 12);
    CHECK(scores(1, 0) == 7);  // 32 * (2 - 1) * 1.75 / 8
    CHECK(scores(1, 1) == 6);
    // Without the division softmax leaves the second word next to nothing.
    const Tensor sharp = softmax(unscaled);
    CHECK_THAT(sharp(0, 0), WithinAbs(0.9999999, 5e-8 + tolerance));
    CHECK_THAT(sharp(0, 1), WithinAbs(0.0000001, 5e-8));
    const Attention result = attention(example.query, example.key, example.value);
    CHECK_THAT(result.weights(0, 0), WithinAbs(1 / (1 + std::exp(-2.0)), tolerance));
    CHECK_THAT(result.weights(1, 0), WithinAbs(1 / (1 + std::exp(-1.0)), tolerance));
    CHECK_THAT(result.output(0, 1), WithinAbs(3 / (1 + std::exp(2.0)), tolerance));
}

TEST_CASE("N47: the divisor is the square root of the width of the keys", "[ch02]") {
    CHECK(std::sqrt(64.0) == 8.0);
    const ThinkingMachines example = thinking_machines();
    CHECK(attention_scores(example.query, example.key)(0, 0) * 8 ==
          matmul_transpose_b(example.query, example.key)(0, 0));
    // Not of the number of inputs, the first dimension of the matrix: more rows change no score.
    const Tensor five_queries =
        concat({example.query, example.query, slice(example.query, 0, 0, 1)}, 0);
    CHECK(attention_scores(five_queries, example.key)(4, 1) == 12);
    // Any other divisor works too: softmax still gives weights, only sharper or flatter ones.
    const Attention sharper = attention(example.query * 2, example.key, example.value);
    CHECK_THAT(sharper.weights(0, 0), WithinAbs(1 / (1 + std::exp(-4.0)), tolerance));
}

TEST_CASE("N12: X 2 x 4 and weights 4 x 3 give Z 2 x 3", "[ch02]") {
    const Tensor x = slice(to_tensor(three_inputs()), 0, 0, 2);
    const ProjectionWeights weights = worked_example_weights();
    CHECK(x.shape() == Shape{2, 4});
    CHECK(to_tensor(weights.query).shape() == Shape{4, 3});
    const Attention z =
        attention(matmul(x, to_tensor(weights.query)), matmul(x, to_tensor(weights.key)),
                  matmul(x, to_tensor(weights.value)));
    CHECK(z.output.shape() == Shape{2, 3});
    CHECK(z.weights.shape() == Shape{2, 2});
    // Scores 2 4 and 4 16 over sqrt(3).
    CHECK_THAT(z.weights(1, 0), WithinAbs(1 / (1 + std::exp(12 / std::sqrt(3.0))), tolerance));
}

TEST_CASE("N13: i have a dream makes a 4 x 4 map whose rows sum to one", "[ch02]") {
    const WordAttention map = attend_to_words({"i", "have", "a", "dream"}, 1);
    REQUIRE(map.attention.weights.shape() == Shape{4, 4});
    for (std::size_t r = 0; r < 4; ++r) {
        double sum = 0.0;
        for (const Real weight : map.attention.weights.row(r)) {
            CHECK(weight > 0);
            sum += static_cast<double>(weight);
        }
        CHECK_THAT(sum, WithinAbs(1.0, by_precision(2.4e-7, 1e-15)));
    }
}

TEST_CASE("attend_to_words: each word has its own vector and equal words the same", "[ch02]") {
    const WordAttention map = attend_to_words({"a", "b", "a"}, 3);
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK(map.attention.weights(0, c) == map.attention.weights(2, c));
    }
    CHECK(map.attention.weights(0, 0) == map.attention.weights(0, 2));
    CHECK(map.attention.weights(0, 0) != map.attention.weights(0, 1));
    CHECK_FALSE(attend_to_words({"a", "b"}, 4).attention.weights ==
                attend_to_words({"a", "b"}, 5).attention.weights);
    CHECK(map.attention.output.shape() == Shape{3, 4});
    CHECK_THROWS_AS(attend_to_words({}, 1), std::invalid_argument);
    CHECK(split_words("  i have\ta dream ") == std::vector<std::string>{"i", "have", "a", "dream"});
}

TEST_CASE("attention: with queries times sqrt of the width it is the unscaled one", "[ch02]") {
    const ProjectionWeights weights = asymmetric_example_weights();
    const MatrixSteps unscaled =
        attention_with_matrices(to_tensor(three_inputs()), to_tensor(weights.key),
                                to_tensor(weights.query), to_tensor(weights.value));
    const Attention scaled = attention(unscaled.queries * static_cast<Real>(std::sqrt(3.0)),
                                       unscaled.keys, unscaled.values);
    check_close("weights", scaled.weights, unscaled.weights, tolerance);
    check_close("output", scaled.output, unscaled.output, by_precision(4e-6, 1e-12));
}

TEST_CASE("attention: equals PyTorch with batch and heads", "[ch02]") {
    const auto expected = golden("ch02_attention");
    const Attention result =
        attention(expected.at("query"), expected.at("key"), expected.at("value"));
    check_close("weights", result.weights, expected.at("weights"), tolerance);
    check_close("output", result.output, expected.at("output"), tolerance);
}

TEST_CASE("attention: the order of keys does not matter", "[ch02]") {
    const Tensor query{{1, 2}, {0, -1}};
    const Attention one = attention(query, Tensor{{1, 0}, {0, 1}, {1, 1}}, Tensor{{1}, {2}, {4}});
    const Attention other = attention(query, Tensor{{1, 1}, {1, 0}, {0, 1}}, Tensor{{4}, {1}, {2}});
    check_close("output", other.output, one.output, tolerance);
    CHECK(one.weights(0, 0) == other.weights(0, 1));
}

TEST_CASE("attention: a sequence of one returns its value", "[ch02]") {
    const Attention one = attention(Tensor(Shape{1, 2}, {3, -5}), Tensor(Shape{1, 2}, {2, 2}),
                                    Tensor(Shape{1, 3}, {7, 8, 9}));
    CHECK(one.weights(0, 0) == 1);
    CHECK(one.output == Tensor(Shape{1, 3}, {7, 8, 9}));
}

TEST_CASE("attention: shapes that do not fit are refused", "[ch02]") {
    const Tensor query(Shape{2, 4});
    const Tensor key(Shape{3, 4});
    const Tensor value(Shape{3, 5});
    CHECK(attention(query, key, value).output.shape() == Shape{2, 5});
    CHECK_THROWS_WITH(attention(Tensor(Shape{2, 3}), key, value),
                      "attention: query (T=2, K=3) and key (S=3, K=4): the widths differ");
    CHECK_THROWS_WITH(attention(query, key, Tensor(Shape{2, 5})),
                      "attention: key (S=3, K=4) and value (S=2, E=5): each key needs one value");
    CHECK_THROWS_WITH(attention(query.reshaped({8}), key, value),
                      "attention: query (8) and key (S=3, K=4): both need at least two dimensions");
    CHECK_THROWS_WITH(attention(query, key, Tensor(Shape{3})),
                      "attention: key (S=3, K=4) and value (3): both need at least two dimensions");
    CHECK_THROWS_AS(attention(Tensor(Shape{2, 3}), key, value), ShapeError);
    CHECK_THROWS_AS(attention(query, key.reshaped({1, 3, 4}), value), ShapeError);
    CHECK_THROWS_AS(attention(Tensor(Shape{2, 0}), Tensor(Shape{3, 0}), value), ShapeError);
    CHECK_THROWS_WITH(attention(Tensor(Shape{0, 4}), key, value),
                      ContainsSubstring("attention: query: shape (0, 4)"));
    CHECK_THROWS_WITH(attention_scores(query, Tensor(Shape{0, 4})),
                      ContainsSubstring("attention: key: shape (0, 4)"));
    CHECK_THROWS_WITH(attention(query, key, Tensor(Shape{3, 0})),
                      ContainsSubstring("attention: value: shape (3, 0)"));
}

TEST_CASE("attention: NaN and infinity are named and not hidden", "[ch02]") {
    const Tensor good{{1, 2}, {3, 4}};
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Tensor broken = good;
        broken(1, 0) = static_cast<Real>(bad);
        CHECK_THROWS_WITH(attention(broken, good, good),
                          ContainsSubstring("attention: query: element (1, 0) is not finite"));
        CHECK_THROWS_WITH(attention(good, broken, good), ContainsSubstring("attention: key"));
        CHECK_THROWS_WITH(attention(good, good, broken), ContainsSubstring("attention: value"));
        CHECK_THROWS_AS(attention(broken, good, good), NumericError);
    }
}
