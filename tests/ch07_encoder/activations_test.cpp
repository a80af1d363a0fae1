#include <cmath>
#include <limits>
#include <stdexcept>

#include "ch07_encoder/activations.hpp"
#include "ch07_encoder/feed_forward.hpp"
#include "common/autograd/tape.hpp"
#include "common/random/random.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("relu: negative numbers become 0 and the others stay", "[ch07]") {
    CHECK(relu(Tensor{{-2, -0.5, 0}, {0.5, 3, -1e30}}) == Tensor{{0, 0, 0}, {0.5, 3, 0}});
}

TEST_CASE("gelu: x times the normal distribution function", "[ch07]") {
    // P(1) = 0.8413447460685429, P(-1) = 1 - P(1), P(2) = 0.9772498680518208 (any table).
    const Tensor y = gelu(Tensor{0.0, 1.0, -1.0, 2.0});
    const double tolerance = by_precision(3e-7, 1e-15);  // largest seen: 5e-8, 2.2e-16
    CHECK(y(0) == 0);
    CHECK_THAT(y(1), WithinAbs(0.8413447460685429, tolerance));
    CHECK_THAT(y(2), WithinAbs(-0.1586552539314571, tolerance));
    CHECK_THAT(y(3), WithinAbs(2 * 0.9772498680518208, tolerance));
}

TEST_CASE("gelu_tanh: differs from gelu by up to 5e-4", "[ch07]") {
    Tensor x(Shape{1601});  // -8 to 8 in steps of 0.01
    for (std::size_t i = 0; i < x.size(); ++i)
        x(i) = static_cast<Real>(static_cast<double>(i) * 0.01 - 8.0);
    const double difference = max_error(gelu_tanh(x), gelu(x));
    CHECK(difference < 5e-4);
    CHECK(difference > 4e-4);
}

TEST_CASE("activations: far from 0 they are 0 or x with slope 0 or 1", "[ch07]") {
    for (const Activation activation :
         {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
        for (const double far :
             {40.0, 1e20, static_cast<double>(std::numeric_limits<Real>::max())}) {
            Tensor x{-far, far};
            track(x);
            const Tensor y = activate(activation, x);
            CHECK(y(0) == 0);
            CHECK(y(1) == x(1));
            CHECK(backward(sum(y, 0)).of(x) == Tensor{0, 1});
        }
    }
}

TEST_CASE("activations: NaN stays NaN", "[ch07]") {
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh})
        CHECK(std::isnan(activate(activation, Tensor{std::nan("")})(0)));
}

TEST_CASE("activate: the threads of a large tensor change nothing", "[ch07]") {
    Random random{3};
    const Tensor x = normal(random, {300, 301}, 0.0, 2.0);
    for (const Activation activation :
         {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
        const Tensor y = activate(activation, x);
        for (const std::size_t row : {0U, 150U, 299U}) {
            const Tensor part = slice(x, 0, row, row + 1);
            CHECK(activate(activation, part) == slice(y, 0, row, row + 1));
        }
    }
}

TEST_CASE("activate: another number is no activation", "[ch07]") {
    CHECK_THROWS_AS(activate(static_cast<Activation>(9), Tensor{1}), std::invalid_argument);
    CHECK_THROWS_AS(to_string(static_cast<Activation>(9)), std::invalid_argument);
}

TEST_CASE("FeedForward: worked by hand at each position on its own", "[ch07]") {
    // Inner: 1 2 and 3 -1 times the rows of W_1, plus b_1 = 0 -3 1.
    const FeedForward layer{
        .inner = {.weight = {{1, 0}, {0, 1}, {-1, 1}}, .bias = Tensor{0, -3, 1}},
        .outer = {.weight = {{1, 2, 3}, {-1, 0, 1}}, .bias = Tensor{10, 20}},
        .activation = Activation::relu};
    // (1, 2): 1 -1 2 to 1 0 2 to 1 + 6 + 10, -1 + 2 + 20. (3, -1): 3 -4 -3 to 3 0 0 to 13, 17.
    CHECK(layer(Tensor{{{1, 2}, {3, -1}}}) == Tensor{{{17, 21}, {13, 17}}});
    CHECK(parameter_count(layer) == 2 * 3 + 3 + 3 * 2 + 2);
}

TEST_CASE("FeedForward: widths that do not fit are refused", "[ch07]") {
    const FeedForward layer{.inner = {Tensor(Shape{3, 2}), {}}, .outer = {Tensor(Shape{2, 4}), {}}};
    CHECK_THROWS_AS(layer(Tensor(Shape{1, 5, 2})), ShapeError);
    CHECK_THROWS_WITH(layer(Tensor(Shape{1, 5, 3})), ContainsSubstring("Linear: x (1, 5, 3)"));
}
