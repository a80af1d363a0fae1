#include "ch06_learning/initialise.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/random/random.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

struct Sample {
    double mean = 0.0;
    double variance = 0.0;  // around 0
    double largest = 0.0;   // of |x|
    double fourth = 0.0;    // mean of x^4
};

Sample measure(const Tensor& x) {
    Sample sample;
    const double n = static_cast<double>(x.size());
    for (const Real value : x.values()) {
        const double v = static_cast<double>(value);
        sample.mean += v / n;
        sample.variance += v * v / n;
        sample.fourth += v * v * v * v / n;
        sample.largest = std::max(sample.largest, std::abs(v));
    }
    return sample;
}

// Of n draws with variance s^2 and kurtosis k the mean is off by s / sqrt(n), and the mean square
// by s^2 sqrt((k - 1) / n), as standard deviations; 4.4 of these hold with confidence 99.999 %, and
// the seed is fixed.
void check_moments(const Sample& sample, double n, double variance, double kurtosis) {
    CHECK_THAT(sample.mean, WithinAbs(0.0, 4.4 * std::sqrt(variance / n)));
    CHECK_THAT(sample.variance / variance, WithinAbs(1.0, 4.4 * std::sqrt((kurtosis - 1.0) / n)));
}

constexpr double n = 300.0 * 500.0;

}  // namespace

// A uniform distribution has kurtosis 9/5. The largest of n draws is below a (1 - 12 / n) with a
// chance of e^-12.
TEST_CASE("xavier_uniform: moments and bounds of its distribution", "[ch06]") {
    Random random{61};
    const Tensor x = xavier_uniform(random, {300, 500});
    REQUIRE(x.shape() == Shape{300, 500});
    const Sample sample = measure(x);
    check_moments(sample, n, 2.0 / 800.0, 1.8);
    const double a = std::sqrt(6.0 / 800.0);
    CHECK(sample.largest <= a);
    CHECK(sample.largest > a * (1.0 - 12.0 / n));
}

// Kurtosis 3; the fourth moment tells a normal distribution from others: x^4 / s^4 has the mean 3
// and the variance 105 - 9 = 96.
TEST_CASE("xavier_normal: moments of its distribution", "[ch06]") {
    Random random{62};
    const Sample sample = measure(xavier_normal(random, {300, 500}));
    const double variance = 2.0 / 800.0;
    check_moments(sample, n, variance, 3.0);
    CHECK_THAT(sample.fourth / (variance * variance), WithinAbs(3.0, 4.4 * std::sqrt(96.0 / n)));
}

// With p(2) = exp(-2) / sqrt(2 pi) the density at the cut and P = erf(sqrt 2) the share that stays,
// integration by parts gives the variance 1 - 4 p(2) / P = 0.7737 and the fourth moment
// 3 - (2 * 8 + 3 * 4) p(2) / P = 1.4161.
TEST_CASE("truncated_normal: moments and bounds of its distribution", "[ch06]") {
    Random random{63};
    const Tensor x = truncated_normal(random, {300, 500}, 0.02);
    REQUIRE(x.shape() == Shape{300, 500});
    const Sample sample = measure(x);
    const double quotient =
        std::exp(-2.0) / std::sqrt(2.0 * std::acos(-1.0)) / std::erf(std::sqrt(2.0));
    const double variance = 1.0 - 4.0 * quotient;
    const double fourth = 3.0 - 28.0 * quotient;
    CHECK_THAT(std::sqrt(variance), WithinAbs(0.8796, 5e-5));
    check_moments(sample, n, 4e-4 * variance, fourth / (variance * variance));
    // Near the cut the density of |x| is 2 p(2) / P = 0.113: of n draws none within 0.001 of it
    // has a chance of e^-17.
    CHECK(sample.largest <= static_cast<double>(static_cast<Real>(0.04)));
    CHECK(sample.largest > 0.04 - 0.02 * 0.001);
}

TEST_CASE("truncated_normal: takes the draws in order and skips those beyond the cut", "[ch06]") {
    Random random{64};
    Random same{64};
    const Tensor x = truncated_normal(random, {1000}, 3.0);
    std::size_t skipped = 0;
    for (const Real value : x.values()) {
        double z = same.normal();
        for (; std::abs(z) > 2.0; ++skipped)
            z = same.normal();
        REQUIRE(value == static_cast<Real>(3.0 * z));
    }
    CHECK(random.position() == same.position());
    // 4.55 % of about 1048 draws: 48 with a standard deviation of 7.
    CHECK_THAT(static_cast<double>(skipped), WithinAbs(48.0, 4.4 * 7.0));
    CHECK(truncated_normal(random, {2}, 0.0) == Tensor{0, 0});
}

// y = W x keeps the variance of x when in = out; each of 400 results is a sum of 400 products.
TEST_CASE("xavier_uniform: a square layer keeps the size of its input", "[ch06]") {
    Random random{65};
    const Tensor w = xavier_uniform(random, {400, 400});
    const Tensor x = normal(random, {400}, 0.0, 1.0);
    double x_square = 0.0;
    double y_square = 0.0;
    for (std::size_t o = 0; o < 400; ++o) {
        double y = 0.0;
        for (std::size_t i = 0; i < 400; ++i)
            y += static_cast<double>(w(o, i)) * static_cast<double>(x(i));
        y_square += y * y / 400.0;
        x_square += static_cast<double>(x(o)) * static_cast<double>(x(o)) / 400.0;
    }
    // The mean of 400 squares of nearly normal numbers: off by sqrt(2 / 400) as a deviation.
    CHECK_THAT(y_square / x_square, WithinAbs(1.0, 4.4 * std::sqrt(2.0 / 400.0)));
}

TEST_CASE("initialise: shapes and deviations that make no sense are refused", "[ch06]") {
    Random random{1};
    for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 3, 4}, Shape{0, 3}, Shape{3, 0}}) {
        CHECK_THROWS_AS(xavier_uniform(random, shape), ShapeError);
        CHECK_THROWS_AS(xavier_normal(random, shape), ShapeError);
    }
    CHECK_THROWS_WITH(xavier_uniform(random, {4}), ContainsSubstring("shape (4) is not (out, in)"));
    for (const double stddev : {-0.1, std::nan(""), HUGE_VAL, 1.7e308}) {
        CHECK_THROWS_AS(truncated_normal(random, {2}, stddev), std::invalid_argument);
        CHECK_THROWS_WITH(truncated_normal(random, {2}, stddev),
                          ContainsSubstring("truncated_normal: standard deviation (found "));
    }
}
