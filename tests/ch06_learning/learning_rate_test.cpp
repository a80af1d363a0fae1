#include "ch06_learning/learning_rate.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace bert;

TEST_CASE("warmup_then_constant: rises in equal steps and stays", "[ch06]") {
    CHECK(warmup_then_constant(1, 2.0, 4) == 0.5);
    CHECK(warmup_then_constant(3, 2.0, 4) == 1.5);
    CHECK(warmup_then_constant(4, 2.0, 4) == 2.0);
    CHECK(warmup_then_constant(5, 2.0, 4) == 2.0);
    CHECK(warmup_then_constant(std::numeric_limits<std::uint64_t>::max(), 2.0, 4) == 2.0);
    CHECK(warmup_then_constant(1, 2.0, 0) == 2.0);
    CHECK(warmup_then_constant((1U << 24U) + 1U, 2.0, 1U << 25U) == 1.0 + std::pow(2.0, -24));
    CHECK(warmup_then_constant(1, 2.0, 1) == 2.0);
}

// 4 steps of warm-up and 4 of decay: 5/5 at step 4, then 4/5 to 1/5, and 0/5 would be step 9.
TEST_CASE("warmup_then_linear: rises and falls in equal steps and never reaches zero", "[ch06]") {
    CHECK(warmup_then_linear(1, 10.0, 4, 8) == 2.5);
    CHECK(warmup_then_linear(4, 10.0, 4, 8) == 10.0);
    CHECK(warmup_then_linear(5, 10.0, 4, 8) == 8.0);
    CHECK(warmup_then_linear(7, 10.0, 4, 8) == 4.0);
    CHECK(warmup_then_linear(8, 10.0, 4, 8) == 2.0);
    CHECK(warmup_then_linear(1, 10.0, 0, 4) == 8.0);  // without warm-up the fall begins at once
    CHECK(warmup_then_linear(1, 10.0, 0, 1) == 5.0);
}

TEST_CASE("warmup_then_inverse_root: rises and falls with the root of the step", "[ch06]") {
    CHECK(warmup_then_inverse_root(1, 8.0, 4) == 2.0);
    CHECK(warmup_then_inverse_root(4, 8.0, 4) == 8.0);
    CHECK(warmup_then_inverse_root(16, 8.0, 4) == 4.0);
    CHECK(warmup_then_inverse_root(64, 8.0, 4) == 2.0);
}

// Width 512 and 4000 steps of warm-up are the paper's base model: peak 1 / sqrt(512 * 4000).
TEST_CASE("transformer_rate: equals the inverse root with the peak of the paper", "[ch06]") {
    const double peak = 1.0 / std::sqrt(512.0 * 4000.0);
    CHECK_THAT(transformer_rate(4000, 512, 4000), WithinAbs(6.9877124e-4, 1e-11));
    for (const std::uint64_t step : {1U, 2U, 3999U, 4000U, 4001U, 16000U, 100000U}) {
        // Largest error seen: 1.1e-19, one ulp at 7e-4.
        CHECK_THAT(transformer_rate(step, 512, 4000),
                   WithinAbs(warmup_then_inverse_root(step, peak, 4000), 4.4e-19));
    }
}

TEST_CASE("learning rates: peaks out of range are refused", "[ch06]") {
    for (const double peak : {0.0, -1e-3, std::nan(""), HUGE_VAL}) {
        CHECK_THROWS_AS(warmup_then_constant(1, peak, 4), std::invalid_argument);
        CHECK_THROWS_AS(warmup_then_linear(1, peak, 4, 8), std::invalid_argument);
        CHECK_THROWS_AS(warmup_then_inverse_root(1, peak, 4), std::invalid_argument);
    }
    CHECK_THROWS_WITH(warmup_then_constant(1, -0.5, 4),
                      ContainsSubstring("warmup_then_constant: learning rate (found -0.5, expected "
                                        "above 0 and finite)"));
}

TEST_CASE("learning rates: steps out of range are refused", "[ch06]") {
    CHECK_THROWS_WITH(
        warmup_then_constant(0, 1.0, 4),
        ContainsSubstring("warmup_then_constant: step (found 0, expected at least 1)"));
    CHECK_THROWS_WITH(warmup_then_linear(0, 1.0, 4, 8),
                      ContainsSubstring("warmup_then_linear: step (found 0, expected 1 to 8)"));
    CHECK_THROWS_WITH(warmup_then_linear(9, 1.0, 4, 8),
                      ContainsSubstring("step (found 9, expected 1 to 8)"));
    CHECK_THROWS_WITH(warmup_then_linear(1, 1.0, 8, 8),
                      ContainsSubstring("warm-up (found 8, expected below the total of 8)"));
    CHECK_THROWS_WITH(warmup_then_inverse_root(0, 1.0, 4), ContainsSubstring("step (found 0"));
    CHECK_THROWS_WITH(warmup_then_inverse_root(1, 1.0, 0), ContainsSubstring("warm-up (found 0"));
    CHECK_THROWS_WITH(transformer_rate(0, 512, 4), ContainsSubstring("step (found 0"));
    CHECK_THROWS_WITH(transformer_rate(1, 0, 4), ContainsSubstring("width (found 0"));
    CHECK_THROWS_WITH(transformer_rate(1, 512, 0), ContainsSubstring("warm-up (found 0"));
    CHECK_THROWS_AS(transformer_rate(1, 512, 0), std::invalid_argument);
}
