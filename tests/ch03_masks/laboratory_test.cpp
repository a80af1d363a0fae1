#include <cmath>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch03_masks/mask_laboratory.hpp"
#include "ch03_masks/masks.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

const double tolerance = by_precision(1e-6, 1e-12);  // largest errors seen: 6e-8, 1.1e-16
const Tensor scores{{2, 4, 4}, {4, 16, 12}, {4, 12, 10}};

}  // namespace

TEST_CASE("N50: hiding the current position too leaves the first row empty", "[ch03]") {
    // The published decoder sees the current position: nothing but the future is hidden.
    for (std::size_t t = 0; t < 3; ++t)
        CHECK(causal_mask(3)(t, t) == 1);
    CHECK(mask_without_diagonal(3) == Tensor{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}});
    const Tensor sums = row_sums(masked_softmax(scores, mask_without_diagonal(3)));
    CHECK(sums(0) == 0);  // the contradiction: no row of weights can sum to 0
    CHECK_THAT(sums(1), WithinAbs(1.0, tolerance));
    // It becomes right once the decoder's input is shifted by a start token: then row t of the
    // causal mask over start, word 1 .. word t-1 is row t of this one over word 1 .. word t, plus
    // the start token.
    const Tensor shifted = slice(causal_mask(4), 1, 1, 4);
    CHECK(slice(shifted, 0, 0, 3) == mask_without_diagonal(3));
    CHECK_THROWS_AS(mask_without_diagonal(0), ShapeError);
}

TEST_CASE("softmax_with_penalty: equals the mask while the penalty is large enough", "[ch03]") {
    check_close("-10000", softmax_with_penalty(scores, causal_mask(3), -10000),
                masked_softmax(scores, causal_mask(3)), tolerance);
}

TEST_CASE("softmax_with_penalty: a hidden score that exceeds the penalty leaks", "[ch03]") {
    const Tensor large{{0, 20000}};
    const Tensor first_visible{{1, 0}};
    CHECK(softmax_with_penalty(large, first_visible, -10000) == Tensor{{0, 1}});
    CHECK(masked_softmax(large, first_visible) == Tensor{{1, 0}});
    // exp(-3) instead of nothing with a penalty that is as small as the scores.
    const Tensor leak = softmax_with_penalty(Tensor{{0, 7}}, first_visible, -10);
    CHECK_THAT(leak(0, 1), WithinAbs(1 / (1 + std::exp(3.0)), tolerance));
}

TEST_CASE("softmax_with_penalty: an empty row attends to what is hidden", "[ch03]") {
    const Tensor nothing(Shape{3, 3});
    check_close("as unmasked", softmax_with_penalty(scores, nothing, -10000), softmax(scores),
                0.0);  // whole numbers below 2^24 lose nothing in the sum
    CHECK(masked_softmax(scores, nothing) == nothing);
}

TEST_CASE("mask_after_softmax: rows no longer sum to one", "[ch03]") {
    const Tensor weights = mask_after_softmax(scores, causal_mask(3));
    const double kept = 1.0 / (1.0 + 2.0 * std::exp(2.0));  // weight of score 2 beside 4 and 4
    CHECK_THAT(row_sums(weights)(0), WithinAbs(kept, tolerance));
    CHECK(weights(0, 1) == 0);
    CHECK_THAT(row_sums(weights)(2), WithinAbs(1.0, tolerance));
    // Divided by its sum, a row is right again - unless the sum is 0.
    CHECK_THAT(weights(0, 0) / row_sums(weights)(0), WithinAbs(1.0, tolerance));
}

TEST_CASE("softmax_of_zeroed_scores: a hidden key keeps the weight of exp 0", "[ch03]") {
    const Tensor weights = softmax_of_zeroed_scores(scores, causal_mask(3));
    // Scores 2 0 0 of row 1: e^2 / (e^2 + 2).
    CHECK_THAT(weights(0, 0), WithinAbs(1 / (1 + 2 * std::exp(-2.0)), tolerance));
    CHECK_THAT(weights(0, 1), WithinAbs(1 / (std::exp(2.0) + 2), tolerance));
    CHECK_THAT(row_sums(weights)(0), WithinAbs(1.0, tolerance));
}
