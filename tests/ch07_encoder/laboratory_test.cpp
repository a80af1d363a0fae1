// The numbers of the lesson: mistakes, and what the place of the norm does.
#include <cmath>
#include <vector>

#include "ch07_encoder/depth.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "ch07_encoder/mistakes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("layer_norm_with: each mistake gives its own numbers", "[ch07]") {
    const Tensor x{{2, 2, 6, 6}, {1, 2, 3, 4}};          // row 1: mean 4, variance 4, epsilon 1
    const double tolerance = by_precision(2e-7, 1e-15);  // largest seen: 2.4e-8, 2.2e-16
    const auto check = [&](NormMistake mistake, double expected) {
        CHECK_THAT(layer_norm_with(mistake, x, 1.0)(0, 3), WithinAbs(expected, tolerance));
        CHECK_THAT(layer_norm_with(mistake, x, 1.0)(0, 0), WithinAbs(-expected, tolerance));
    };
    check(NormMistake::none, 2 / std::sqrt(5.0));
    check(NormMistake::divided_by_d_minus_1, 2 / std::sqrt(16.0 / 3 + 1));
    check(NormMistake::epsilon_outside, 2.0 / (2 + 1));
    // Columns 2 1 and 2 2 and 6 3 and 6 4: half differences 1/2, 0, 3/2, 1.
    const Tensor columns = layer_norm_with(NormMistake::over_positions, x, 1.0);
    const double halves[4] = {0.5, 0, 1.5, 1};
    for (std::size_t d = 0; d < 4; ++d) {
        const double expected = halves[d] / std::sqrt(halves[d] * halves[d] + 1);
        CHECK_THAT(columns(0, d), WithinAbs(expected, tolerance));
        CHECK_THAT(columns(1, d), WithinAbs(-expected, tolerance));
    }
    LayerNorm layer = unit_layer_norm(4);
    layer.epsilon = 1;
    check_close("none", layer_norm_with(NormMistake::none, x, 1.0), layer(x), tolerance);
}

TEST_CASE("layer_norm_with: what cannot be normalised is refused", "[ch07]") {
    CHECK_THROWS_WITH(layer_norm_with(NormMistake::none, Tensor{1, 2}, 1.0),
                      ContainsSubstring("layer_norm_with: x (2)"));
    CHECK_THROWS_AS(layer_norm_with(NormMistake::none, Tensor(Shape{0, 3}), 1.0), ShapeError);
    const Tensor narrow(Shape{3, 1});
    CHECK_THROWS_AS(layer_norm_with(NormMistake::divided_by_d_minus_1, narrow, 1.0), ShapeError);
    CHECK(layer_norm_with(NormMistake::none, narrow, 1.0) == narrow);
}

TEST_CASE("reports_by_depth: post-norm keeps the size and pre-norm lets it grow", "[ch07]") {
    const std::vector<DepthReport> post = reports_by_depth(NormOrder::post, 12);
    const std::vector<DepthReport> pre = reports_by_depth(NormOrder::pre, 12);
    REQUIRE(post.size() == 12);
    REQUIRE(pre.size() == 12);
    for (std::size_t l = 0; l < 12; ++l) {
        CHECK_THAT(post[l].size, WithinAbs(1.0, 1e-4));
        CHECK(post[l].gradient > 80);
        CHECK(post[l].gradient < 160);
        if (l > 0) CHECK(pre[l].size > pre[l - 1].size);
    }
    CHECK(pre[11].size > 3);
    CHECK(pre[11].gradient < post[11].gradient / 2);
}
