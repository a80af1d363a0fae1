#include <algorithm>
#include <utility>
#include <vector>

#include "common/tensor/layout.hpp"
#include "tests/common/tensor_indices.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using test::at;
using test::counted;
using test::for_each_index;
using test::Index;

namespace {

const std::vector<Shape> awkward_shapes{{5},          {1},          {2, 3},       {1, 5},
                                        {5, 1},       {1, 1},       {2, 3, 5},    {3, 1, 2},
                                        {1, 5, 1},    {2, 1, 3, 5}, {3, 2, 5, 1}, {5, 3, 2, 1, 2},
                                        {1, 2, 3, 5}, {0, 3},       {2, 0, 5},    {2, 3, 0}};

constexpr std::size_t huge = std::size_t{1} << 40U;

}  // namespace

TEST_CASE("reshape: shares the numbers", "[tensor]") {
    const Tensor x = counted({2, 3, 5});
    const Tensor y = reshape(x, {5, 6});
    CHECK(y.shape() == Shape{5, 6});
    CHECK(y.data() == x.data());
    CHECK(reshape(x, {30}).data() == x.data());
    Tensor z = reshape(x, {30});
    z(0) = Real{100};
    CHECK(x(0, 0, 0) == Real{1});
    CHECK(reshape(Tensor(Shape{}, {3}), {1, 1})(0, 0) == Real{3});
    CHECK(reshape(Tensor(Shape{0, 3}), {7, 0}).shape() == Shape{7, 0});
}

TEST_CASE("reshape: another number of elements is refused", "[tensor]") {
    CHECK_THROWS_WITH(reshape(Tensor(Shape{2, 3}), {4, 2}),
                      "reshape: (2, 3) has 6 elements, (4, 2) has 8");
    CHECK_THROWS_AS(reshape(Tensor(Shape{2, 3}), {}), ShapeError);
    CHECK_THROWS_AS(reshape(Tensor(Shape{2, 3}), {0}), ShapeError);
    CHECK_THROWS_AS(reshape(Tensor(Shape{2, 3}), {huge, huge}), std::length_error);
}

TEST_CASE("positive_axis: counts from the front", "[tensor]") {
    const Tensor x(Shape{2, 3, 5});
    CHECK(positive_axis("f", x, 2) == 2);
    CHECK(positive_axis("f", x, -3) == 0);
    CHECK_THROWS_WITH(positive_axis("f", x, 3), "f: no axis 3 in shape (2, 3, 5)");
    CHECK_THROWS_AS(positive_axis("f", x, -4), ShapeError);
    CHECK_THROWS_AS(positive_axis("f", Tensor(Shape{}), 0), ShapeError);
}

TEST_CASE("transpose: every pair of axes moves each element to its place", "[tensor]") {
    for (const Shape& shape : awkward_shapes) {
        const Tensor x = counted(shape);
        const int rank = static_cast<int>(x.rank());
        for (int a = -rank; a < rank; ++a) {
            for (int b = -rank; b < rank; ++b) {
                INFO(to_string(shape) << " axes " << a << " and " << b);
                const auto first = static_cast<std::size_t>(a < 0 ? a + rank : a);
                const auto second = static_cast<std::size_t>(b < 0 ? b + rank : b);
                const Tensor y = transpose(x, a, b);
                Shape expected = shape;
                std::swap(expected[first], expected[second]);
                REQUIRE(y.shape() == expected);
                bool right = true;
                for_each_index(shape, [&](Index index) {
                    const double value = at(x, index);
                    std::swap(index[first], index[second]);
                    right = right && at(y, index) == value;
                });
                CHECK(right);
            }
        }
    }
}

TEST_CASE("transpose: many elements and several threads", "[tensor]") {
    const Tensor x = counted({3, 257, 131});
    const Tensor y = transpose(x, 0, 2);
    REQUIRE(y.shape() == Shape{131, 257, 3});
    bool right = true;
    for_each_index(x.shape(), [&](const Index& i) {
        right = right && at(x, i) == at(y, {i[2], i[1], i[0]});
    });
    CHECK(right);
}

TEST_CASE("transpose: default is the last two axes", "[tensor]") {
    CHECK(transpose(Tensor{{1, 2, 3}, {4, 5, 6}}) == Tensor{{1, 4}, {2, 5}, {3, 6}});
    CHECK(transpose(Tensor(Shape{2, 3, 5})).shape() == Shape{2, 5, 3});
    CHECK_THROWS_WITH(transpose(Tensor{1, 2}), "transpose: no axis -2 in shape (2)");
    CHECK_THROWS_AS(transpose(Tensor(Shape{2, 3}), 0, 2), ShapeError);
    CHECK_THROWS_AS(transpose(Tensor(Shape{})), ShapeError);
    CHECK(transpose(Tensor(Shape{huge, 0, huge})).shape() == Shape{huge, huge, 0});
}

TEST_CASE("slice: every range of every axis", "[tensor]") {
    for (const Shape& shape : awkward_shapes) {
        const Tensor x = counted(shape);
        const int rank = static_cast<int>(x.rank());
        for (int axis = -rank; axis < rank; ++axis) {
            const auto cut = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
            for (std::size_t begin = 0; begin <= shape[cut]; ++begin) {
                for (std::size_t end = begin; end <= shape[cut]; ++end) {
                    INFO(to_string(shape) << " axis " << axis << " " << begin << " to " << end);
                    const Tensor y = slice(x, axis, begin, end);
                    Shape expected = shape;
                    expected[cut] = end - begin;
                    REQUIRE(y.shape() == expected);
                    bool right = true;
                    for_each_index(expected, [&](Index index) {
                        const double value = at(y, index);
                        index[cut] += begin;
                        right = right && at(x, index) == value;
                    });
                    CHECK(right);
                }
            }
        }
    }
}

TEST_CASE("slice: a range outside is refused", "[tensor]") {
    const Tensor x(Shape{2, 3});
    CHECK_THROWS_WITH(slice(x, 1, 1, 4), "slice: [1, 4) is not inside axis 1 of shape (2, 3)");
    CHECK_THROWS_AS(slice(x, 0, 2, 1), ShapeError);
    CHECK_THROWS_AS(slice(x, 0, static_cast<std::size_t>(-1), 1), ShapeError);
    CHECK_THROWS_AS(slice(x, 2, 0, 1), ShapeError);
    CHECK_THROWS_AS(slice(Tensor(Shape{}), 0, 0, 0), ShapeError);
}

TEST_CASE("slice and concat: nothing to copy takes no time whatever the other sizes", "[tensor]") {
    const Tensor x(Shape{huge, 0});
    CHECK(slice(x, 0, 1, huge).shape() == Shape{huge - 1, 0});
    CHECK(slice(x, 1, 0, 0).shape() == Shape{huge, 0});
    CHECK(concat({x, x}, 1).shape() == Shape{huge, 0});
}

TEST_CASE("concat: joins what slice cut along every axis", "[tensor]") {
    for (const Shape& shape : awkward_shapes) {
        const Tensor x = counted(shape);
        const int rank = static_cast<int>(x.rank());
        for (int axis = -rank; axis < rank; ++axis) {
            const std::size_t size = x.dim(axis);
            for (std::size_t first = 0; first <= size; ++first) {
                for (std::size_t second = first; second <= size; ++second) {
                    INFO(to_string(shape) << " axis " << axis);
                    CHECK(concat({slice(x, axis, 0, first), slice(x, axis, first, second),
                                  slice(x, axis, second, size)},
                                 axis) == x);
                }
            }
        }
    }
}

TEST_CASE("concat: numbers worked by hand", "[tensor]") {
    const Tensor a{{1, 2}, {3, 4}};
    const Tensor b{{5, 6}, {7, 8}};
    CHECK(concat({a, b}, 0) == Tensor{{1, 2}, {3, 4}, {5, 6}, {7, 8}});
    CHECK(concat({a, b}, 1) == Tensor{{1, 2, 5, 6}, {3, 4, 7, 8}});
    CHECK(concat({a}, -1) == a);
}

TEST_CASE("concat: parts that do not fit are refused", "[tensor]") {
    const Tensor a(Shape{2, 3});
    CHECK_THROWS_WITH(concat({}, 0), "concat: nothing to join");
    CHECK_THROWS_WITH(concat({a, Tensor(Shape{2, 4})}, 0),
                      "concat: shapes (2, 3) and (2, 4) differ outside axis 0");
    CHECK_THROWS_AS(concat({a, Tensor(Shape{2})}, 0), ShapeError);
    CHECK_THROWS_AS(concat({a, Tensor(Shape{2, 3, 1})}, 0), ShapeError);
    CHECK_THROWS_AS(concat({a, a}, 2), ShapeError);
    CHECK_THROWS_AS(concat({Tensor(Shape{}), Tensor(Shape{})}, 0), ShapeError);
}
