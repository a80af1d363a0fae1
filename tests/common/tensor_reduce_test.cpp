#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/tensor/reduce.hpp"
#include "tests/common/tensor_indices.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using test::at;
using test::for_each_index;
using test::Index;
using test::noise;

namespace {

struct Expected {
    double sum = 0.0;
    double max = -std::numeric_limits<double>::infinity();
};

// Along one axis at the index `kept` of the other axes.
Expected evaluate(const Tensor& x, std::size_t axis, const Index& kept) {
    Expected expected;
    Index index = kept;
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    for (std::size_t i = 0; i < x.shape()[axis]; ++i) {
        index[axis] = i;
        expected.sum += at(x, index);
        expected.max = std::max(expected.max, at(x, index));
    }
    return expected;
}

}  // namespace

TEST_CASE("sum and mean and max: equal an evaluation index by index", "[tensor]") {
    const std::vector<Shape> shapes{{5},       {1},       {2, 3},       {1, 5},    {5, 1},
                                    {2, 3, 5}, {3, 1, 2}, {2, 1, 3, 5}, {0, 3, 2}, {300, 2, 257}};
    for (const Shape& shape : shapes) {
        const Tensor x = noise(shape, 3);
        const int rank = static_cast<int>(x.rank());
        for (int axis = -rank; axis < rank; ++axis) {
            const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
            if (shape[along] == 0) continue;
            INFO(to_string(shape) << " axis " << axis);
            Shape rest = shape;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(along));
            const Tensor sums = sum(x, axis);
            const Tensor means = mean(x, axis);
            const Tensor largest = max(x, axis);
            REQUIRE(sums.shape() == rest);
            REQUIRE(means.shape() == rest);
            REQUIRE(largest.shape() == rest);
            bool right = true;
            for_each_index(rest, [&](const Index& kept) {
                const Expected expected = evaluate(x, along, kept);
                const auto size = static_cast<double>(shape[along]);
                right =
                    right && static_cast<Real>(at(sums, kept)) == static_cast<Real>(expected.sum);
                right = right && static_cast<Real>(at(means, kept)) ==
                                     static_cast<Real>(expected.sum / size);
                right = right && at(largest, kept) == expected.max;
            });
            CHECK(right);
        }
    }
}

TEST_CASE("sum and mean and max: numbers worked by hand", "[tensor]") {
    const Tensor x{{1, 2, 3}, {4, 5, 9}};
    CHECK(sum(x, 0) == Tensor{5, 7, 12});
    CHECK(sum(x, 1) == Tensor{6, 18});
    CHECK(mean(x, -1) == Tensor{2, 6});
    CHECK(max(x, 0) == Tensor{4, 5, 9});
    CHECK(max(Tensor{-3, -1, -2}, 0)() == Real{-1});
}

TEST_CASE("sum: small numbers beside a large one are not lost", "[tensor]") {
    std::vector<Real> values(1001, Real{1});
    values[0] = Real{16777216};  // 2^24: in float, 2^24 + 1 is 2^24
    CHECK(sum(Tensor(Shape{1001}, values), 0)() == Real{16778216});
}

TEST_CASE("sum: the number of threads changes no bit", "[tensor]") {
    const Tensor x = noise({64, 2048}, 5);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const Tensor alone = sum(x, 1);
    omp_set_num_threads(3);
    CHECK(sum(x, 1) == alone);
    omp_set_num_threads(before);
}

TEST_CASE("sum: an axis of size zero sums to zero", "[tensor]") {
    CHECK(sum(Tensor(Shape{2, 0}), 1) == Tensor{0, 0});
    CHECK(sum(Tensor(Shape{0}), 0)() == Real{0});
    CHECK(sum(Tensor(Shape{0, 3}), 1).shape() == Shape{0});
}

TEST_CASE("mean and max: an axis of size zero is refused", "[tensor]") {
    CHECK_THROWS_WITH(mean(Tensor(Shape{2, 0}), 1), "mean: axis 1 of shape (2, 0) has size zero");
    CHECK_THROWS_WITH(max(Tensor(Shape{0}), -1), "max: axis -1 of shape (0) has size zero");
    CHECK(max(Tensor(Shape{2, 0}), 0).shape() == Shape{0});
}

TEST_CASE("sum and mean and max: an axis that x lacks is refused", "[tensor]") {
    CHECK_THROWS_WITH(sum(Tensor(Shape{2, 3}), 2), "sum: no axis 2 in shape (2, 3)");
    CHECK_THROWS_AS(mean(Tensor(Shape{2, 3}), -3), ShapeError);
    CHECK_THROWS_AS(max(Tensor(Shape{}), 0), ShapeError);
}

TEST_CASE("max: one NaN anywhere makes the result NaN", "[tensor]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t place = 0; place < 4; ++place) {
        Tensor x{1, infinity, -2, 3};
        x(place) = static_cast<Real>(nan);
        INFO("NaN at " << place);
        CHECK(std::isnan(max(x, 0)()));
        CHECK(std::isnan(sum(x, 0)()));
        CHECK(std::isnan(mean(x, 0)()));
    }
    const Tensor rows{{1, nan}, {2, 3}};
    CHECK(std::isnan(max(rows, 1)(0)));
    CHECK(max(rows, 1)(1) == Real{3});
    CHECK(max(Tensor{-infinity, -infinity}, 0)() == -std::numeric_limits<Real>::infinity());
}

TEST_CASE("largest_difference: of all numbers and not of their signs", "[tensor]") {
    CHECK(largest_difference(Tensor{1, 5, -3}, Tensor{2, 3, -3}) == 2.0);
    CHECK(largest_difference(Tensor{1, 3, -3}, Tensor{2, 5, -3}) == 2.0);
    CHECK(largest_difference(Tensor{}, Tensor{}) == 0.0);
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    CHECK(std::isnan(largest_difference(Tensor{nan, Real(7)}, Tensor{0, 0})));
    CHECK(std::isnan(largest_difference(Tensor{9, 0}, Tensor{Real(7), nan})));
    CHECK_THROWS_AS(largest_difference(Tensor{1, 2}, Tensor{1}), ShapeError);
}
