#include <cmath>
#include <limits>
#include <string>

#include "ch07_encoder/layer_norm.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("LayerNorm: worked by hand", "[ch07]") {
    // Mean 5, differences -3 -1 1 3, variance (9 + 1 + 1 + 9) / 4 = 5; with epsilon 4 its root
    // is 3.
    const Tensor x{{2, 4, 6, 8}};
    LayerNorm layer{.weight = Tensor{1, 1, 1, 1}, .bias = Tensor{0, 0, 0, 0}, .epsilon = 4};
    const double third = 1.0 / 3;
    const double tolerance = by_precision(2e-7, 5e-16);  // largest seen: 0 in both
    check_close("plain", layer(x), {{-1, -third, third, 1}}, tolerance);
    layer.weight = Tensor{3, 3, 6, 0};
    layer.bias = Tensor{10, 0, 0, 7};
    check_close("scaled and shifted", layer(x), {{7, -1, 2, 7}}, tolerance);
}

TEST_CASE("LayerNorm: the variance is divided by D and epsilon stands inside the root", "[ch07]") {
    const Tensor x{{-1, 1}};  // variance 1; divided by D - 1 it would be 2
    LayerNorm layer = unit_layer_norm(2);
    layer.epsilon = 3;
    CHECK(layer(x) == Tensor{{-0.5, 0.5}});  // 1 / sqrt(1 + 3); outside the root 1 / (1 + 3)
}

TEST_CASE("LayerNorm: every row has mean 0 and variance 1", "[ch07]") {
    Random random{7};
    const Tensor x = normal(random, {3, 5, 37}, 4.0, 3.0);
    const Tensor y = unit_layer_norm(37)(x);
    check_close("mean", mean(y, -1), Tensor(Shape{3, 5}),
                by_precision(6e-8, 7e-16));  // seen: 1.3e-8, 1.8e-16
    const Tensor ones = Tensor(Shape{3, 5}) + Real{1};
    // Epsilon takes 1e-5 / 9 of it, more where the sample has less. Largest seen: 1.8e-6.
    check_close("variance", mean(y * y, -1), ones, 7e-6);
}

TEST_CASE("LayerNorm: a shift and a stretch of a row change nothing", "[ch07]") {
    Random random{8};
    const Tensor x = normal(random, {4, 16}, 0.0, 1.0);
    LayerNorm layer = unit_layer_norm(16);
    layer.epsilon = 1e-12;
    // 4 x + 100 is rounded before the layer sees it. Largest seen: 1.7e-6, 2.7e-12.
    check_close("4 x + 100", layer(x * Real{4} + Real{100}), layer(x), by_precision(7e-6, 1.1e-11));
    check_close("-x", layer(x * Real{-1}), layer(x) * Real{-1}, 0);
}

TEST_CASE("LayerNorm: rows far from zero or huge or constant keep their meaning", "[ch07]") {
    const LayerNorm layer = unit_layer_norm(2);
    const double tolerance = 1e-6;  // largest seen: 0 and 3.2e-18
    check_close("1e20", layer({{-1e20, 1e20}}), {{-1, 1}}, tolerance);
    check_close("1e-20", layer({{-1e-20, 1e-20}}), {{0, 0}}, tolerance);
    check_close("far", layer({{16777214, 16777216}}), {{-1, 1}}, 2e-5);  // seen: 5e-6, by epsilon
    CHECK(unit_layer_norm(3)(Tensor{{7.3, 7.3, 7.3}, {-1e30, -1e30, -1e30}}).row(1)[0] == 0);
    const Tensor constant = unit_layer_norm(7)(Tensor(Shape{2, 7}) + Real(0.1));
    for (const Real y : constant.values())
        CHECK_THAT(y, WithinAbs(0.0, 1e-9));
    LayerNorm shifted = layer;
    shifted.bias = Tensor{3, 4};
    CHECK(shifted(Tensor{{5, 5}}) == Tensor{{3, 4}});
    CHECK(unit_layer_norm(1)(Tensor{{5}, {-1e30}}) == Tensor(Shape{2, 1}));
}

TEST_CASE("LayerNorm: rows do not see each other and any rank will do", "[ch07]") {
    Random random{9};
    const Tensor x = normal(random, {2, 3, 11}, 0.0, 1.0);
    LayerNorm layer{normal(random, {11}, 1.0, 0.3), normal(random, {11}, 0.0, 0.3)};
    const Tensor y = layer(x);
    CHECK(y.shape() == x.shape());
    for (std::size_t r = 0; r < 6; ++r) {
        const Tensor row(Shape{11}, {x.row(r).begin(), x.row(r).end()});
        CHECK(layer(row) == Tensor(Shape{11}, {y.row(r).begin(), y.row(r).end()}));
    }
    CHECK(layer(Tensor(Shape{0, 11})).size() == 0);
}

TEST_CASE("LayerNorm: what does not fit is refused", "[ch07]") {
    LayerNorm layer = unit_layer_norm(4);
    CHECK_THROWS_WITH(layer(Tensor(Shape{2, 3})),
                      ContainsSubstring("LayerNorm: x (2, 3), weight (4)"));
    CHECK_THROWS_AS(layer(Tensor(Shape{4, 1})), ShapeError);
    CHECK_THROWS_AS(layer(Tensor(Shape{})), ShapeError);
    CHECK_THROWS_AS(unit_layer_norm(0)(Tensor(Shape{2, 0})), ShapeError);
    const Tensor x(Shape{2, 4});
    layer.bias = Tensor(Shape{1});
    CHECK_THROWS_AS(layer(x), ShapeError);
    layer = unit_layer_norm(4);
    layer.weight = Tensor(Shape{1, 4});
    CHECK_THROWS_AS(layer(x), ShapeError);
    layer = unit_layer_norm(4);
    for (const double epsilon :
         {0.0, -1e-5, std::nan(""), std::numeric_limits<double>::infinity()}) {
        layer.epsilon = epsilon;
        CHECK_THROWS_WITH(layer(x), ContainsSubstring("LayerNorm: epsilon (found"));
    }
}

TEST_CASE("LayerNorm: NaN and infinity are named by their row", "[ch07]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const LayerNorm layer = unit_layer_norm(3);
    for (const double bad : {std::nan(""), infinity, -infinity}) {
        Tensor x(Shape{2, 2, 3});
        x(1, 0, 2) = static_cast<Real>(bad);
        CHECK_THROWS_AS(layer(x), NumericError);
        CHECK_THROWS_WITH(layer(x), ContainsSubstring("LayerNorm: row 2 holds NaN"));
    }
}
