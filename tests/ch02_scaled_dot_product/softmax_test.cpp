#include "ch02_scaled_dot_product/softmax.hpp"

#include <cmath>
#include <limits>

#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "common/tensor/elementwise.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Tensor vector(std::vector<double> values) {
    Tensor result(Shape{values.size()});
    for (std::size_t i = 0; i < values.size(); ++i)
        result(i) = static_cast<Real>(values[i]);
    return result;
}

// Weights near 1; largest errors seen: 6e-8 (float), 1.2e-16 (double).
const double tolerance = by_precision(2.4e-7, 1e-15);

}  // namespace

TEST_CASE("softmax: exponentials of ln 1 2 and 5 share as 1 2 and 5", "[ch02]") {
    check_close("weights", softmax(vector({0, std::log(2.0), std::log(5.0)})),
                Tensor{0.125, 0.25, 0.625}, tolerance);
}

TEST_CASE("N10: softmax of 14 and 12", "[ch02]") {
    const double first = 1.0 / (1.0 + std::exp(-2.0));
    const Tensor weights = softmax(Tensor{14, 12});
    check_close("weights", weights, vector({first, 1.0 - first}), tolerance);
    check_close("weights", weights, Tensor{0.88079708, 0.11920292},
                by_precision(1e-6, 1e-8));  // printed to eight decimals
    CHECK(std::round(static_cast<double>(weights(0)) * 100) == 88);
    CHECK(std::round(static_cast<double>(weights(1)) * 100) == 12);
}

TEST_CASE("softmax: 1000 1001 1002 overflow as the formula stands but not shifted", "[ch02]") {
    const Tensor scores{1000, 1001, 1002};
    const Tensor overflown = softmax_naive(scores);
    for (const Real weight : overflown.values())
        CHECK(std::isnan(weight));
    check_close("shifted", softmax(scores), softmax(Tensor{-2, -1, 0}), 0.0);  // same bits
    check_close("weights", softmax(scores), Tensor{0.09003057, 0.24472847, 0.66524096},
                by_precision(1e-6, 1e-8));
}

TEST_CASE("softmax: equals the formula where that does not overflow", "[ch02]") {
    const Tensor scores{{1, 4, 3}, {2, 0, 2}, {-30, 20, 25}};
    check_close("weights", softmax(scores), softmax_naive(scores), tolerance);
}

TEST_CASE("softmax: rows sum to one and order is kept", "[ch02]") {
    const Tensor weights = softmax(Tensor{{3, 1, 2}, {-1000, 1000, 0}, {0, 0, 0}});
    for (std::size_t r = 0; r < 3; ++r) {
        double sum = 0.0;
        for (const Real weight : weights.row(r))
            sum += static_cast<double>(weight);
        CHECK_THAT(sum, WithinAbs(1.0, tolerance));
    }
    CHECK(weights(0, 0) > weights(0, 2));
    CHECK(weights(0, 2) > weights(0, 1));
    CHECK(weights(1, 1) == 1);
    CHECK(weights(1, 0) == 0);
    CHECK(weights(2, 0) == weights(2, 2));
}

TEST_CASE("softmax: minus infinity gets no weight", "[ch02]") {
    const Tensor weights = softmax(vector({1, -infinity, 1}));
    CHECK(weights == Tensor{0.5, 0, 0.5});
}

TEST_CASE("softmax: the last axis of any rank", "[ch02]") {
    const Tensor x{{{1, 2}, {3, 5}}, {{0, 0}, {-1, 1}}};
    const Tensor y = softmax(x);
    CHECK(y.shape() == x.shape());
    CHECK_THAT(y(0, 1, 1), WithinAbs(1 / (1 + std::exp(-2.0)), tolerance));
    CHECK_THAT(y(1, 1, 0), WithinAbs(1 / (1 + std::exp(2.0)), tolerance));
    CHECK(softmax(Tensor(Shape{4, 1})) == Tensor(Shape{4, 1}, {1, 1, 1, 1}));
    CHECK(softmax(Tensor(Shape{0, 3})).shape() == Shape{0, 3});
}

TEST_CASE("softmax: equals PyTorch on rows near 0 and 1000 and -1000", "[ch02]") {
    const auto expected = golden("ch02_softmax");
    const Tensor y = softmax(expected.at("x"));
    check_close("softmax", y, expected.at("y"), tolerance);
    const std::vector<Tensor> inputs{expected.at("x")};
    const auto gradients = softmax_gradient({inputs, y, expected.at("y_gradient")});
    REQUIRE(gradients.size() == 1);
    check_close("gradient", gradients[0], expected.at("x_gradient"), by_precision(4.8e-7, 2e-15));
}

TEST_CASE("softmax_gradient: a gradient that is the same for all weights passes nothing",
          "[ch02]") {
    // The weights sum to 1 whatever x is, so a constant gradient has nothing to push.
    const Tensor y = softmax(Tensor{{1, 4, 3}, {2, 0, 2}});
    const std::vector<Tensor> inputs{y};
    const Tensor seven(Shape{2, 3}, std::vector<Real>(6, 7));
    check_close("gradient", softmax_gradient({inputs, y, seven})[0], Tensor(Shape{2, 3}),
                by_precision(1e-6, 1e-14));  // largest error seen: 2.4e-7 (float), 4e-16 (double)
}

TEST_CASE("softmax: rows that have no weights are refused", "[ch02]") {
    CHECK_THROWS_AS(softmax(vector({1, not_a_number})), NumericError);
    CHECK_THROWS_AS(softmax(vector({1, infinity})), NumericError);
    CHECK_THROWS_AS(softmax(vector({-infinity, -infinity})), NumericError);
    Tensor second_row{{1, 2}, {3, 4}};
    second_row(1, 0) = static_cast<Real>(not_a_number);
    CHECK_THROWS_WITH(softmax(second_row), ContainsSubstring("softmax: row 1 holds NaN"));
    CHECK_THROWS_AS(softmax(Tensor(Shape{})), ShapeError);
    CHECK_THROWS_AS(softmax(Tensor(Shape{3, 0})), ShapeError);
}
