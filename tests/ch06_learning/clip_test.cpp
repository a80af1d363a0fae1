#include "ch06_learning/clip.hpp"

#include <omp.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("global_norm: worked by hand", "[ch06]") {
    CHECK(global_norm({Tensor{{3, 0}}, Tensor{-4}}) == 5.0);
    CHECK(global_norm({Tensor{1, 2, 2, 4, 4, 4, 4, 4, -2, 2, 2}}) == std::sqrt(101.0));
    CHECK(global_norm({}) == 0.0);
    CHECK(global_norm({Tensor(Shape{0}), Tensor(Shape{2, 0})}) == 0.0);
}

// Whole numbers up to 6: their squares and sums are exact.
TEST_CASE("global_norm: every element counts once", "[ch06]") {
    for (const std::size_t size : {1U, 7U, 8U, 9U, 8191U, 8192U, 8193U, 65536U, 100003U}) {
        Tensor x(Shape{size});
        double sum = 0.0;
        Real* const out = x.mutable_data();
        for (std::size_t i = 0; i < size; ++i) {
            out[i] = static_cast<Real>(i % 7);
            sum += static_cast<double>((i % 7) * (i % 7));
        }
        INFO("size " << size);
        CHECK(global_norm({x}) == std::sqrt(sum));
    }
}

// In float 1e30 squared is infinite, and 2^24 + 1 is 2^24.
TEST_CASE("global_norm: sums are made in double", "[ch06]") {
    CHECK_THAT(global_norm({Tensor{3e30, 4e30}}) / 5e30, WithinAbs(1.0, 1e-7));  // seen: 1.5e-8
    CHECK(global_norm({Tensor{4096, 0, 0, 0, 0, 0, 0, 0, 1}}) == std::sqrt(16777217.0));
}

TEST_CASE("global_norm: the number of threads changes no bit", "[ch06]") {
    Random random{66};
    const Tensor x = normal(random, {100003}, 0.0, 1.0);
    omp_set_num_threads(1);
    const double alone = global_norm({x, x});
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        CHECK(global_norm({x, x}) == alone);
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("clip_by_global_norm: too long is scaled to the maximum and short stays", "[ch06]") {
    const std::vector<Tensor> original{Tensor{{3, 0}}, Tensor{-4}};
    std::vector<Tensor> gradients = original;
    CHECK(clip_by_global_norm(gradients, 1.0) == 5.0);
    // 0.6 * 5 / (5 + 1e-6) and so on. Largest errors seen: 2.5e-8 (float), 0 (double).
    CHECK(max_error(gradients[0], Tensor{{0.6 * 5 / 5.000001, 0}}) <= by_precision(1e-7, 1e-15));
    CHECK(max_error(gradients[1], Tensor{-0.8 * 5 / 5.000001}) <= by_precision(1e-7, 1e-15));
    CHECK(global_norm(gradients) < 1.0);
    CHECK(original[0] == Tensor{{3, 0}});  // the copies are cut off

    gradients = original;
    CHECK(clip_by_global_norm(gradients, 5.1) == 5.0);
    CHECK(gradients == original);
}

TEST_CASE("clip_by_global_norm: large tensors are scaled to the last element", "[ch06]") {
    std::vector<Tensor> gradients{Tensor(Shape{70001})};
    Real* const g = gradients[0].mutable_data();
    g[0] = 3;
    g[70000] = 4;
    CHECK(clip_by_global_norm(gradients, 2.5) == 5.0);
    constexpr double tolerance = 1.6e-6;  // largest error seen: 4e-7, by the 1e-6 of the formula
    CHECK_THAT(gradients[0](0), WithinAbs(1.5, tolerance));
    CHECK_THAT(gradients[0](70000), WithinAbs(2.0, tolerance));
}

TEST_CASE("clip_by_global_norm: zeros and gradients that are not finite stay", "[ch06]") {
    std::vector<Tensor> zeros{Tensor(Shape{3})};
    CHECK(clip_by_global_norm(zeros, 1.0) == 0.0);
    CHECK(zeros[0] == Tensor{0, 0, 0});

    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    const Real infinity = std::numeric_limits<Real>::infinity();
    std::vector<Tensor> gradients{Tensor{8}, Tensor{nan}};
    CHECK(std::isnan(clip_by_global_norm(gradients, 1.0)));
    CHECK(gradients[0] == Tensor{8});
    gradients = {Tensor{8}, Tensor{-infinity}};
    CHECK(std::isinf(clip_by_global_norm(gradients, 1.0)));
    CHECK(gradients[0] == Tensor{8});
    CHECK(gradients[1] == Tensor{-infinity});
}

TEST_CASE("clip_by_global_norm: a maximum out of range is refused", "[ch06]") {
    std::vector<Tensor> gradients{Tensor{8}};
    for (const double norm : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        CHECK_THROWS_AS(clip_by_global_norm(gradients, norm), std::invalid_argument);
        CHECK_THROWS_WITH(clip_by_global_norm(gradients, norm),
                          ContainsSubstring("clip_by_global_norm: largest norm (found "));
    }
    CHECK(gradients[0] == Tensor{8});
}

TEST_CASE("clip_by_global_norm: a norm a little above the largest is clipped too", "[ch06]") {
    std::vector<Tensor> gradients = {Tensor{1.0005}};
    clip_by_global_norm(gradients, 1.0);
    CHECK(gradients[0](0) <= 1);
}
