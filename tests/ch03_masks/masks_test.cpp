#include "ch03_masks/masks.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "ch02_scaled_dot_product/softmax.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();

// Weights and values near 1; largest errors seen: 2.4e-7 (float), 4.4e-16 (double).
const double tolerance = by_precision(1e-6, 1e-12);

const Tensor scores{{2, 4, 4}, {4, 16, 12}, {4, 12, 10}};  // of the worked example, unscaled

double total(std::span<const Real> row) {
    double sum = 0.0;
    for (const Real x : row)
        sum += static_cast<double>(x);
    return sum;
}

}  // namespace

TEST_CASE("N14: word i attends to words 1 to i and rows still sum to one", "[ch03]") {
    const Tensor weights = masked_softmax(scores, causal_mask(3));
    CHECK(slice(weights, 0, 0, 1) == Tensor(Shape{1, 3}, {1, 0, 0}));
    const double first = 1.0 / (1.0 + std::exp(12.0));  // scores 4 and 16
    CHECK_THAT(weights(1, 0), WithinAbs(first, by_precision(1e-12, 1e-18)));
    CHECK_THAT(weights(1, 0), WithinAbs(6.1441746e-06, 1e-12));
    CHECK_THAT(weights(1, 0), WithinAbs(0.0000061442, 5e-11));  // as the lesson prints it
    CHECK_THAT(weights(1, 1), WithinAbs(0.99999386, by_precision(1e-6, 1e-8)));
    CHECK(weights(1, 2) == 0);
    // The last row sees everything: as without a mask.
    check_close("row 3", slice(weights, 0, 2, 3), slice(softmax_naive(scores), 0, 2, 3), tolerance);
    for (std::size_t r = 0; r < 3; ++r)
        CHECK_THAT(total(weights.row(r)), WithinAbs(1.0, 2e-7));
}

TEST_CASE("N14: i have a cat with a start token has a 5 x 5 mask", "[ch03]") {
    CHECK(causal_mask(5) ==
          Tensor{
              {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 1, 1, 0, 0}, {1, 1, 1, 1, 0}, {1, 1, 1, 1, 1}});
    // The first word's output holds the first value alone.
    const Tensor x = Tensor{{1, 0}, {0, 1}, {1, 1}, {2, 1}, {1, 3}};
    const Attention attended = masked_attention(x, x, x, causal_mask(5));
    CHECK(slice(attended.output, 0, 0, 1) == slice(x, 0, 0, 1));
    for (std::size_t t = 0; t < 5; ++t) {
        for (std::size_t s = t + 1; s < 5; ++s)
            CHECK(attended.weights(t, s) == 0);
        CHECK_THAT(total(attended.weights.row(t)), WithinAbs(1.0, 2.4e-7));
    }
}

TEST_CASE("masked_attention: a change of the weights reaches the output alone", "[ch03]") {
    const Tensor x{{1, 0}, {0, 2}, {3, 1}};
    const Attention before = masked_attention(x, x, x, causal_mask(3));
    Tensor seen;
    const auto halve = [&seen](const Tensor& weights) {
        seen = weights;
        return weights * Real(0.5);
    };
    const Attention after = masked_attention(x, x, x, causal_mask(3), halve);
    CHECK(seen == before.weights);
    CHECK(after.weights == before.weights);
    CHECK(after.output == before.output * Real(0.5));
}

TEST_CASE("masked_attention: a later word changes no earlier output by a bit", "[ch03]") {
    const Tensor x{{1, 0, 2}, {0, 1, -1}, {1, 1, 0}, {2, 1, 1}};
    const Tensor before = masked_attention(x, x, x, causal_mask(4)).output;
    Tensor changed = x;
    changed(3, 1) = 50;
    const Tensor after = masked_attention(changed, changed, changed, causal_mask(4)).output;
    CHECK(slice(before, 0, 0, 3) == slice(after, 0, 0, 3));
    CHECK_FALSE(before == after);
}

TEST_CASE("padding_mask: hides keys of its own example for every query", "[ch03]") {
    const Tensor mask = padding_mask(Tensor{{1, 1, 0}, {1, 1, 1}});
    CHECK(mask.shape() == Shape{2, 1, 3});
    const Tensor batch = concat({reshape(scores, {1, 3, 3}), reshape(scores, {1, 3, 3})}, 0);
    const Tensor weights = masked_softmax(batch, mask);
    for (std::size_t t = 0; t < 3; ++t) {
        CHECK(weights(0, t, 2) == 0);
        CHECK(weights(1, t, 2) > 0);
    }
    // Dropping the padded key altogether gives the same weights.
    check_close("without padding", slice(slice(weights, 0, 0, 1), 2, 0, 2),
                reshape(softmax(slice(scores, 1, 0, 2)), {1, 3, 2}), tolerance);
}

TEST_CASE("combine_masks: visible where both say so", "[ch03]") {
    const Tensor both = combine_masks(causal_mask(3), padding_mask(Tensor{{1, 1, 0}, {0, 1, 1}}));
    CHECK(both == Tensor{{{1, 0, 0}, {1, 1, 0}, {1, 1, 0}}, {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}}});
    CHECK_THROWS_AS(combine_masks(causal_mask(3), Tensor(Shape{2, 1, 4})), ShapeError);
}

TEST_CASE("masked_softmax: a row with nothing visible gets zeros", "[ch03]") {
    const Tensor weights = masked_softmax(scores, Tensor{{1, 1, 0}, {0, 0, 0}, {0, 0, 1}});
    CHECK(slice(weights, 0, 1, 2) == Tensor(Shape{1, 3}));
    CHECK(slice(weights, 0, 2, 3) == Tensor(Shape{1, 3}, {0, 0, 1}));
    CHECK_THAT(weights(0, 1), WithinAbs(1 / (1 + std::exp(-2.0)), tolerance));
    const Tensor none = masked_softmax(scores, Tensor(Shape{1, 1}));
    CHECK(none == Tensor(Shape{3, 3}));
}

TEST_CASE("masked_attention: a row with nothing visible has output zero", "[ch03]") {
    const Tensor x{{1, 2}, {3, 4}};
    const Attention attended = masked_attention(x, x, x, Tensor{{0, 0}, {1, 1}});
    CHECK(slice(attended.output, 0, 0, 1) == Tensor(Shape{1, 2}));
    check_close("other row", slice(attended.output, 0, 1, 2),
                slice(attention(x, x, x).output, 0, 1, 2), 0.0);  // same bits
}

TEST_CASE("masked_attention: a mask of ones changes nothing", "[ch03]") {
    const auto data = golden("ch02_attention");
    const Tensor ones(Shape{5, 7}, std::vector<Real>(35, 1));
    const Attention masked =
        masked_attention(data.at("query"), data.at("key"), data.at("value"), ones);
    const Attention plain = attention(data.at("query"), data.at("key"), data.at("value"));
    CHECK(masked.weights == plain.weights);
    CHECK(masked.output == plain.output);
}

TEST_CASE("masked_attention: equals PyTorch for causal and padding and both", "[ch03]") {
    const auto data = golden("ch03_masked_attention");
    const Tensor causal = causal_mask(6);
    CHECK(causal == data.at("causal"));
    const Tensor padding = padding_mask(data.at("attention_mask"));
    const auto check = [&](const std::string& name, const Tensor& mask) {
        const Attention result =
            masked_attention(data.at("query"), data.at("key"), data.at("value"), mask);
        check_close(name + " weights", result.weights, data.at(name + "_weights"), tolerance);
        check_close(name + " output", result.output, data.at(name + "_output"), tolerance);
    };
    check("causal", causal);
    check("padding", padding);
    check("both", combine_masks(causal, padding));
}

TEST_CASE("hide_scores: writes minus infinity and leaves its argument alone", "[ch03]") {
    const Tensor hidden = hide_scores(scores, causal_mask(3));
    CHECK(hidden(0, 1) == -infinity);
    CHECK(hidden(1, 2) == -infinity);
    CHECK(hidden(2, 1) == 12);
    CHECK(scores(0, 1) == 4);
}

TEST_CASE("masks: what does not fit is refused", "[ch03]") {
    CHECK_THROWS_AS(causal_mask(0), ShapeError);
    CHECK_THROWS_AS(padding_mask(Tensor{1, 1, 0}), ShapeError);
    CHECK_THROWS_AS(padding_mask(Tensor{{1, 0.5}}), std::invalid_argument);
    CHECK_THROWS_AS(hide_scores(scores, Tensor{1, 0}), ShapeError);
    CHECK_THROWS_AS(hide_scores(scores, Tensor(Shape{2, 3, 3})), ShapeError);
    CHECK_THROWS_WITH(hide_scores(scores, Tensor{{-10000, 0, 1}}),
                      ContainsSubstring("found -10000") && ContainsSubstring("expected 1"));
    const Tensor x{{1, 2}, {3, 4}};
    CHECK_THROWS_AS(masked_attention(x, x, Tensor{{1}, {2}, {3}}, causal_mask(2)), ShapeError);
    CHECK_THROWS_AS(masked_attention(x, x, x, causal_mask(3)), ShapeError);
    CHECK_THROWS_AS(masked_attention(x, x, Tensor(Shape{2, 0}), causal_mask(2)), ShapeError);
}

TEST_CASE("masked_attention: NaN is named even where it is hidden", "[ch03]") {
    const Tensor x{{1, 2}, {3, 4}};
    Tensor broken = x;
    broken(1, 1) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(masked_attention(x, x, broken, causal_mask(2)), NumericError);
    CHECK_THROWS_AS(masked_attention(x, broken, x, Tensor{{1, 0}, {1, 0}}), NumericError);
    Tensor broken_scores = scores;
    broken_scores(0, 0) = infinity;
    CHECK_THROWS_AS(masked_softmax(broken_scores, causal_mask(3)), NumericError);
    broken_scores(0, 0) = 2;
    broken_scores(0, 2) = infinity;  // hidden: never looked at
    CHECK(masked_softmax(broken_scores, causal_mask(3))(0, 0) == 1);
}

TEST_CASE("masked_softmax: a visible score that is not finite is no hidden one", "[ch03]") {
    Tensor overflown = scores;
    overflown(2, 0) = overflown(2, 1) = overflown(2, 2) = -infinity;
    CHECK_THROWS_WITH(masked_softmax(overflown, causal_mask(3)),
                      "masked_softmax: a visible score is not finite (row 2, column 0)");
    // The same scores, hidden, are nobody's business.
    CHECK(masked_softmax(overflown, Tensor{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}})(2, 0) == 0);
    const double large = std::sqrt(static_cast<double>(std::numeric_limits<Real>::max())) * 2;
    Tensor query(Shape{1, 1}, {static_cast<Real>(-large)});
    Tensor key(Shape{2, 1}, {static_cast<Real>(large), static_cast<Real>(large)});
    const Tensor ones(Shape{1, 2}, {1, 1});
    CHECK_THROWS_AS(masked_attention(query, key, key, ones), NumericError);
}
