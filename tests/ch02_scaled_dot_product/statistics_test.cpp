#include "ch02_scaled_dot_product/dot_product_statistics.hpp"

#include <cmath>
#include <stdexcept>

#include "common/random/random.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

TEST_CASE("N11: dot products have the variance of their width and scaled ones have 1", "[ch02]") {
    // The sample variance of n draws is off by sqrt((2 + e) / n) of its value as a standard
    // deviation, where e = 0.24 / width is the excess kurtosis of a sum of width products of such
    // entries (kurtosis 1.8 * 1.8 = 3.24 each). 4.4 of these hold with confidence 99.999 %, and the
    // seed is fixed. The same bound for the mean: 4.4 * sqrt(width / n).
    constexpr std::size_t draws = 100000;
    for (const std::size_t width : {16U, 64U, 512U}) {
        const SampledDotProducts sample = sample_dot_products(width, draws, 11);
        const double d = static_cast<double>(width);
        const double bound = 4.4 * std::sqrt((2.0 + 0.24 / d) / draws);  // 0.02
        INFO("width " << width);
        CHECK_THAT(sample.variance / d, WithinAbs(1.0, bound));
        CHECK_THAT(sample.scaled_variance, WithinAbs(1.0, bound));
        CHECK_THAT(sample.mean, WithinAbs(0.0, 4.4 * std::sqrt(d / draws)));
    }
}

TEST_CASE("sample_dot_products: mean and variance of two draws worked by hand", "[ch02]") {
    Random random{7};
    const auto draw = [&] {
        return static_cast<double>(
            static_cast<Real>(random.uniform(-std::sqrt(3.0), std::sqrt(3.0))));
    };
    const double q1 = draw();
    const double first = q1 * draw();
    const double q2 = draw();
    const double second = q2 * draw();
    const SampledDotProducts sample = sample_dot_products(1, 2, 7);
    CHECK_THAT(sample.mean, WithinAbs((first + second) / 2, 1e-14));
    CHECK_THAT(sample.variance, WithinAbs((first - second) * (first - second) / 2, 1e-14));
    CHECK(sample.scaled_variance == sample.variance);
}

TEST_CASE("sample_softmax_sharpness: without the scale softmax picks one key", "[ch02]") {
    const auto sharp = sample_softmax_sharpness(512, 10, false, 200, 1);
    const auto soft = sample_softmax_sharpness(512, 10, true, 200, 1);
    CHECK(sharp.largest_weight > 0.9);
    CHECK(sharp.slope < 0.05);
    CHECK(soft.largest_weight < 0.5);
    CHECK(soft.slope > 0.15);
    // Scaled, the width does not matter: ten keys keep about the same largest weight.
    const auto narrow = sample_softmax_sharpness(16, 10, true, 200, 1);
    CHECK_THAT(narrow.largest_weight, WithinAbs(soft.largest_weight, 0.05));
}

TEST_CASE("sample_softmax_sharpness: one key has all the weight and no slope", "[ch02]") {
    const auto one = sample_softmax_sharpness(8, 1, true, 3, 2);
    CHECK_THAT(one.largest_weight, WithinAbs(1.0, 1e-12));
    CHECK_THAT(one.slope, WithinAbs(0.0, 1e-12));
}

TEST_CASE("sample_dot_products: counts that make no sample are refused", "[ch02]") {
    CHECK_THROWS_AS(sample_dot_products(0, 10, 1), std::invalid_argument);
    CHECK_THROWS_AS(sample_dot_products(4, 1, 1), std::invalid_argument);
    CHECK_THROWS_AS(sample_softmax_sharpness(4, 0, true, 1, 1), std::invalid_argument);
}
