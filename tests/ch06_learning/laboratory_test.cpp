#include "ch06_learning/learning_laboratory.hpp"

#include <cmath>
#include <stdexcept>

#include "ch06_learning/cross_entropy.hpp"
#include "ch06_learning/initialise.hpp"
#include "ch06_learning/learning_tables.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("TwoKeys: output 5 and gradients 3/4 and -3/4 of the scores", "[ch06]") {
    ScalarGraph graph;
    const TwoKeys keys{graph};
    const ScalarGradients gradients = graph.backward(keys.output);
    constexpr double tolerance = 4e-15;  // largest error seen: 8.9e-16
    CHECK_THAT(keys.output.value(), WithinAbs(5, tolerance));
    CHECK_THAT(gradients.of(keys.s1), WithinAbs(0.75, tolerance));
    CHECK_THAT(gradients.of(keys.s2), WithinAbs(-0.75, tolerance));
    CHECK(graph.nodes().size() == 12);
    CHECK_THROWS_AS(graph_table(graph, keys.output, {"s1"}), std::invalid_argument);
}

TEST_CASE("compare_ways: all differences are small and none is zero by chance", "[ch06]") {
    const WaysCompared ways = compare_ways(1.0);
    CHECK(ways.graph > 0);
    CHECK(ways.graph < 4e-14);  // largest seen: 3.6e-15
    CHECK(ways.tape > 0);
    CHECK(ways.tape < by_precision(2e-6, 4e-14));  // largest seen: 4.8e-7, 9.1e-15
    CHECK(ways.differences > 1e-12);
    CHECK(ways.differences < 8e-10);  // largest seen: 2e-10
    CHECK(ways.num_nodes > 300);
}

TEST_CASE("saturation: scores four times as large leave a hundredth of the gradient", "[ch06]") {
    // Input 2, not scaled: weights of N08; entry 2 of the values is 2, 8, 6.
    const Saturation s = saturation(1.0);
    CHECK_THAT(s.weights[1], WithinAbs(0.98200786, 5e-9));
    const double output = 7.96399160;
    CHECK_THAT(s.score_gradients[1], WithinAbs(0.98200786 * (8 - output), 5e-8));
    CHECK_THAT(s.score_gradients[2], WithinAbs(0.01798610 * (6 - output), 5e-8));
    // The input 0 2 0 2 gives its query's gradient dS K to rows 2 and 4 of W_Q, twice.
    const double g[] = {4 * s.score_gradients[1] + 2 * s.score_gradients[2],
                        s.score_gradients[0] + 4 * s.score_gradients[1] + 3 * s.score_gradients[2],
                        s.score_gradients[0] + s.score_gradients[2]};
    const double norm = std::sqrt(8 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    CHECK_THAT(s.query_norm, WithinAbs(norm, 4e-15));  // largest error seen: 0
    CHECK(saturation(0.25).query_norm > 100 * saturation(2).query_norm);
}

TEST_CASE("right_digits: double has an optimum near 1e-5 and float never many", "[ch06]") {
    CHECK(right_digits_in_double(1e-1) == 3);
    CHECK(right_digits_in_double(1e-5) >= 9);
    CHECK(right_digits_in_double(1e-11) <= 5);
    CHECK(right_digits_in_float(1e-1) == 3);
    for (const double step : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5})
        CHECK(right_digits_in_float(step) <= 5);
    CHECK(right_digits_in_float(1e-9) == 0);
}

TEST_CASE("walk: plain and momentum and Adam with a gradient that stays the same", "[ch06]") {
    const double tolerance = by_precision(8e-6, 4e-14);  // largest errors seen: 1.9e-6, 8.9e-15
    const auto check = [&](Walker walker, std::size_t num_steps, double first, double second) {
        const std::vector<double> moved = walk(walker, {1, 0.01}, num_steps, 0.1);
        REQUIRE(moved.size() == 2);
        CHECK_THAT(moved[0], WithinAbs(first, tolerance));
        CHECK_THAT(moved[1], WithinAbs(second, tolerance));
    };
    check(Walker::plain, 1, -0.1, -0.001);
    check(Walker::plain, 20, -2, -0.02);
    // v after t steps is (1 - 0.9^t) / 0.1; the sum over 3 steps is 1 + 1.9 + 2.71.
    check(Walker::momentum, 3, -0.561, -0.00561);
    // m / (1 - b1^t) is g and v / (1 - b2^t) is g^2: every step is as long as the rate.
    const auto adam = walk(Walker::adam, {1, 0.01}, 20, 0.1);
    CHECK_THAT(adam[0], WithinAbs(-2, by_precision(8e-6, 1e-7)));  // epsilon 1e-8 against 1
    CHECK_THAT(adam[1], WithinAbs(-2, 1e-5));                      // epsilon 1e-8 against 0.01
}

TEST_CASE("signal_sizes: small weights lose the signal and Xavier keeps it", "[ch06]") {
    const auto sizes = [](const std::function<Tensor(Random&)>& new_weight) {
        Random random{3};
        return signal_sizes(32, 6, [&] { return new_weight(random); });
    };
    const auto zero = sizes([](Random&) { return Tensor(Shape{32, 32}); });
    REQUIRE(zero.size() == 7);
    CHECK_THAT(zero[0], WithinAbs(1, 0.05));  // the square root of the mean of 2048 squares
    CHECK(zero[1] == 0);
    // W = 0.5 times the unit matrix: tanh(x / 2), and so on, for each number alone.
    const auto half = sizes([](Random&) {
        Tensor weight(Shape{32, 32});
        for (std::size_t i = 0; i < 32; ++i)
            weight(i, i) = static_cast<Real>(0.5);
        return weight;
    });
    Random random{6};
    const Tensor x = normal(random, {64, 32}, 0, 1);
    double squares = 0;
    for (const Real value : x.values())
        squares += std::pow(std::tanh(0.5 * static_cast<double>(value)), 2);
    const double tolerance = by_precision(4e-7, 4e-15);  // largest errors seen: 1e-8, 2e-16
    CHECK_THAT(half[1], WithinAbs(std::sqrt(squares / 2048), tolerance));
    CHECK(half[6] < half[1] / 10);
    CHECK(sizes([](Random& r) { return xavier_normal(r, {32, 32}); })[6] > 0.2);
}

TEST_CASE("tables: each line has its numbers", "[ch06]") {
    ScalarGraph graph;
    const Scalar x = graph.number(3);
    const Scalar y = x * x;
    CHECK(graph_table(graph, y, {"x", "y"}) ==
          "node    made from        value  gradient   slopes\n"
          "x       number          3.0000    6.0000\n"
          "y       * x x           9.0000    1.0000   3.0000   3.0000\n");
    CHECK(rate_table({1, 1000, 4000}) ==
          "learning rate at step          1    1000    4000\n"
          "warm-up, then linear      0.0010  1.0000  0.0003\n"
          "warm-up, then root        0.0010  1.0000  0.5000\n");
    // Momentum after 20 steps: 20 - 9 (1 - 0.9^20) = 12.0942.
    CHECK(walk_table() ==
          "                          after 1 step    after 20 steps\n"
          "gradient descent      -0.1000  -0.0010  -2.0000  -0.0200\n"
          "momentum 0.9          -0.1000  -0.0010 -12.0942  -0.1209\n"
          "Adam                  -0.1000  -0.1000  -2.0000  -2.0000\n");
    CHECK_THAT(saturation_table(), ContainsSubstring("1              0.0000   0.9820   0.0180"));
}

TEST_CASE("toy tables: each line has its numbers", "[ch06]") {
    ToyResult result = train_toys(2);
    result.held_out.items = Tensor(Shape{1, toy_items, toy_colours + 1});
    result.held_out.answers = {1};
    for (std::size_t s = 0; s < toy_items; ++s) {
        result.held_out.items(0, s, s == 0 ? 3 : 1) = 1;
        result.held_out.items(0, s, toy_colours) = static_cast<Real>(0.25);
    }
    result.untrained.value.weight = Tensor(Shape{toy_colours, toy_colours + 1});
    result.untrained.value.weight(1, 1) = 1;                                  // says colour 1
    result.untrained.key.weight = Tensor(Shape{toy_width, toy_colours + 1});  // looks everywhere
    CHECK_THAT(toy_table(result), ContainsSubstring("loss at step                       1       1"
                                                    "       2     right\n"
                                                    "untrained                                 "
                                                    "               100 %\n") &&
                                      ContainsSubstring("gradient descent, rate 0.3      1.37"));
    CHECK_THAT(toy_attention_table(result, 0),
               ContainsSubstring("colour                             3       1       1       1"
                                 "       1\n"
                                 "loudness                        0.25    0.25    0.25    0.25"
                                 "    0.25\n"
                                 "attention, untrained            0.20    0.20    0.20    0.20"
                                 "    0.20\n"
                                 "gradient descent, rate 0.3      "));
}

TEST_CASE("N22: equal logits over 10000 words cost ln 10000", "[ch06]") {
    const Tensor loss = cross_entropy(Tensor(Shape{3, 10000}), {0, 17, 9999});
    // Largest errors seen: 0, 0.
    CHECK_THAT(*loss.data(), WithinAbs(9.21034037, by_precision(2e-6, 5e-9)));
}
