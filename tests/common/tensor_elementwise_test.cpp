#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "common/tensor/elementwise.hpp"
#include "tests/common/tensor_indices.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using test::at;
using test::for_each_index;
using test::Index;
using test::noise;

namespace {

struct Pair {
    Shape a;
    Shape b;
    Shape common;
};

const std::vector<Pair> pairs{{{}, {}, {}},
                              {{}, {3}, {3}},
                              {{2, 3}, {}, {2, 3}},
                              {{3}, {3}, {3}},
                              {{1}, {5}, {5}},
                              {{5}, {1}, {5}},
                              {{2, 3}, {3}, {2, 3}},
                              {{3}, {2, 3}, {2, 3}},
                              {{2, 3}, {2, 1}, {2, 3}},
                              {{2, 1}, {1, 3}, {2, 3}},
                              {{1, 3}, {2, 1}, {2, 3}},
                              {{1, 1}, {1}, {1, 1}},
                              {{5, 1, 3}, {2, 1}, {5, 2, 3}},
                              {{2, 3, 1, 5}, {3, 2, 1}, {2, 3, 2, 5}},
                              {{2, 1, 5, 1}, {1, 3, 1, 2}, {2, 3, 5, 2}},
                              {{1, 1, 1, 1, 2}, {3, 1}, {1, 1, 1, 3, 2}},
                              {{0}, {1}, {0}},
                              {{0}, {}, {0}},
                              {{2, 0}, {2, 1}, {2, 0}},
                              {{0, 3}, {3}, {0, 3}},
                              {{1, 3}, {0, 1}, {0, 3}},
                              {{300, 1}, {257}, {300, 257}},
                              {{2, 1, 181}, {300, 1}, {2, 300, 181}}};

// The element of x that broadcasting puts at `index` of the common shape.
double repeated(const Tensor& x, const Index& index) {
    Index own(index.end() - static_cast<std::ptrdiff_t>(x.rank()), index.end());
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
        if (x.shape()[axis] == 1) own[axis] = 0;
    }
    return at(x, own);
}

template <typename Operation>
bool agrees(const Tensor& result, const Tensor& a, const Tensor& b, Operation operation) {
    bool right = true;
    for_each_index(result.shape(), [&](const Index& index) {
        const auto x = static_cast<Real>(repeated(a, index));
        const auto y = static_cast<Real>(repeated(b, index));
        right = right && at(result, index) == static_cast<double>(operation(x, y));
    });
    return right;
}

}  // namespace

TEST_CASE("elementwise operators: equal an evaluation index by index", "[tensor]") {
    for (const Pair& pair : pairs) {
        INFO(to_string(pair.a) << " with " << to_string(pair.b));
        const Tensor a = noise(pair.a, 1);
        const Tensor b = noise(pair.b, 2);
        REQUIRE((a + b).shape() == pair.common);
        REQUIRE((a - b).shape() == pair.common);
        REQUIRE((a * b).shape() == pair.common);
        CHECK(agrees(a + b, a, b, [](Real x, Real y) { return x + y; }));
        CHECK(agrees(a - b, a, b, [](Real x, Real y) { return x - y; }));
        CHECK(agrees(a * b, a, b, [](Real x, Real y) { return x * y; }));
        CHECK(broadcast_shape("f", pair.a, pair.b) == pair.common);
    }
}

TEST_CASE("elementwise operators: shapes that do not broadcast are refused", "[tensor]") {
    const std::vector<std::pair<Shape, Shape>> refused{
        {{2}, {3}}, {{2, 3}, {2}},    {{2, 3}, {4, 3}}, {{2, 3, 5}, {2, 5}}, {{2, 3}, {3, 2, 1, 4}},
        {{0}, {2}}, {{2, 0}, {2, 3}}, {{3, 1}, {2, 5}}};
    for (const auto& [a, b] : refused) {
        INFO(to_string(a) << " with " << to_string(b));
        CHECK_THROWS_AS(Tensor(a) + Tensor(b), ShapeError);
        CHECK_THROWS_AS(Tensor(b) - Tensor(a), ShapeError);
        CHECK_THROWS_AS(Tensor(a) * Tensor(b), ShapeError);
    }
    CHECK_THROWS_WITH(Tensor(Shape{2, 3}) + Tensor(Shape{4, 3}),
                      "+: shapes (2, 3) and (4, 3) do not broadcast (2 against 4)");
    constexpr std::size_t huge = std::size_t{1} << 40U;
    CHECK_THROWS_AS(broadcast_shape("f", {huge, 0}, {2, 0}), ShapeError);
    CHECK_THROWS_AS(broadcast_to(Tensor{1}, {huge, huge}), std::length_error);
}

TEST_CASE("elementwise operators: an operand may be the result", "[tensor]") {
    Tensor x{{1, 2}, {3, 4}};
    const Tensor before = x;
    x = x + x;
    CHECK(x == Tensor{{2, 4}, {6, 8}});
    x = x - Tensor{1, 2};
    CHECK(x == Tensor{{1, 2}, {5, 6}});
    CHECK(before == Tensor{{1, 2}, {3, 4}});
}

TEST_CASE("elementwise operators: one number on either side", "[tensor]") {
    const Tensor x{{1, 2}, {3, 4}};
    CHECK(x * Real{3} == Tensor{{3, 6}, {9, 12}});
    CHECK(Real{3} * x == Tensor{{3, 6}, {9, 12}});
    CHECK(x + Real{1} == Tensor{{2, 3}, {4, 5}});
    CHECK((Tensor(Shape{}, {2}) * Real{4})() == Real{8});
    CHECK((Tensor(Shape{2, 0}) + Real{1}).shape() == Shape{2, 0});
}

TEST_CASE("elementwise operators: NaN and infinity follow IEEE arithmetic", "[tensor]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Tensor x{infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
    const Tensor zero = x * Real{0};
    for (const Real value : zero.values())
        CHECK(value != value);
    const Tensor difference = x - x;
    for (const Real value : difference.values())
        CHECK(value != value);
    CHECK((x + x)(0) == std::numeric_limits<Real>::infinity());
}

TEST_CASE("broadcast_to: repeats along dimensions of size 1", "[tensor]") {
    CHECK(broadcast_to(Tensor{1, 2}, {3, 2}) == Tensor{{1, 2}, {1, 2}, {1, 2}});
    CHECK(broadcast_to(Tensor(Shape{2, 1}, {1, 2}), {2, 3}) == Tensor{{1, 1, 1}, {2, 2, 2}});
    CHECK(broadcast_to(Tensor(Shape{}, {5}), {2}) == Tensor{5, 5});
    CHECK(broadcast_to(Tensor(Shape{1}), {0}).shape() == Shape{0});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(broadcast_to(Tensor(Shape{1}, {static_cast<Real>(nan)}), {2})(1) != Real{0});
}

TEST_CASE("broadcast_to: a shape that x does not repeat into is refused", "[tensor]") {
    CHECK_THROWS_WITH(broadcast_to(Tensor(Shape{2, 3}), {1, 3}),
                      "broadcast_to: (2, 3) does not repeat into (1, 3)");
    CHECK_THROWS_AS(broadcast_to(Tensor(Shape{2, 3}), {3}), ShapeError);
    CHECK_THROWS_AS(broadcast_to(Tensor(Shape{2}), {3}), ShapeError);
    CHECK_THROWS_AS(broadcast_to(Tensor(Shape{1}), {}), ShapeError);
}
