#include <cstdint>
#include <limits>
#include <utility>

#include "common/tensor/tensor.hpp"
#include "tests/common/tensor_indices.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

constexpr std::size_t huge = std::size_t{1} << 40U;

std::vector<Real> values_of(const Tensor& x) {
    return {x.values().begin(), x.values().end()};
}

}  // namespace

TEST_CASE("Tensor: no arguments give one dimension of size zero", "[tensor]") {
    const Tensor x;
    CHECK(x.shape() == Shape{0});
    CHECK(x.size() == 0);
    CHECK(x.values().empty());
}

TEST_CASE("Tensor: a shape alone gives zeros", "[tensor]") {
    const Tensor x(Shape{2, 3});
    CHECK(x.rank() == 2);
    CHECK(values_of(x) == std::vector<Real>(6, Real{0}));
}

TEST_CASE("Tensor: rank 0 has one element", "[tensor]") {
    Tensor x(Shape{});
    CHECK(x.rank() == 0);
    CHECK(x.size() == 1);
    x() = Real{7};
    CHECK(x() == Real{7});
    CHECK(x.num_rows() == 1);
    CHECK_THROWS_AS(x.row(0), ShapeError);
    CHECK_THROWS_AS(x.dim(0), ShapeError);
    CHECK_THROWS_AS(x.dim(-1), ShapeError);
}

TEST_CASE("Tensor: nested lists are rank 1 and 2 and 3 in row-major order", "[tensor]") {
    const Tensor vector{1, 2.5, -3};
    CHECK(vector.shape() == Shape{3});
    CHECK(values_of(vector) == std::vector<Real>{1, 2.5, -3});

    const Tensor matrix{{1, 2, 3}, {4, 5, 6}};
    CHECK(matrix.shape() == Shape{2, 3});
    CHECK(values_of(matrix) == std::vector<Real>{1, 2, 3, 4, 5, 6});

    CHECK(Tensor{7}.shape() == Shape{1});
    CHECK(Tensor{{1, 2}}.shape() == Shape{1, 2});
    CHECK(Tensor{{1}, {2}}.shape() == Shape{2, 1});

    const Tensor matrices{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
    CHECK(matrices.shape() == Shape{2, 3, 2});
    CHECK(matrices(1, 0, 1) == Real{8});
    CHECK(matrices(0, 2, 0) == Real{5});
}

TEST_CASE("Tensor: ragged nested lists are refused", "[tensor]") {
    CHECK_THROWS_WITH((Tensor{{1, 2}, {3, 4, 5}}),
                      "Tensor: nested lists differ in shape (entry 0 is (2), entry 1 is (3))");
    CHECK_THROWS_AS((Tensor{{1, 2}, {3, 4}, {5, 6, 7}}), ShapeError);
    CHECK_THROWS_AS((Tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}, {9, 10}}}), ShapeError);
    CHECK_THROWS_AS((Tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8, 9}}}), ShapeError);
}

TEST_CASE("Tensor: values must be one for every element", "[tensor]") {
    CHECK(Tensor(Shape{2, 2}, {1, 2, 3, 4})(1, 0) == Real{3});
    CHECK_THROWS_WITH(Tensor(Shape{2, 2}, {1, 2, 3}),
                      "Tensor: shape (2, 2) needs 4 values, 3 given");
    CHECK_THROWS_AS(Tensor(Shape{2, 2}, {1, 2, 3, 4, 5}), ShapeError);
    CHECK_THROWS_AS(Tensor(Shape{}, std::vector<Real>{}), ShapeError);
}

TEST_CASE("element_count: the product of the sizes", "[tensor]") {
    CHECK(element_count({}) == 1);
    CHECK(element_count({5}) == 5);
    CHECK(element_count({2, 3, 5}) == 30);
    CHECK(element_count({2, 0, 5}) == 0);
    CHECK(element_count({huge, huge, huge, 0}) == 0);
}

TEST_CASE("element_count: a product that overflows is a length error", "[tensor]") {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    CHECK_THROWS_AS(element_count({huge, huge}), std::length_error);
    CHECK_THROWS_AS(element_count({most}), std::length_error);
    CHECK_THROWS_AS(element_count({most, 2}), std::length_error);
    CHECK_THROWS_AS(element_count({std::size_t{1} << 32U, std::size_t{1} << 32U}),
                    std::length_error);
    CHECK_THROWS_AS(Tensor(Shape{most / 2, 4}), std::length_error);
    // The bytes would overflow, the elements do not.
    CHECK_THROWS_AS(element_count({most / sizeof(Real)}), std::length_error);
    CHECK_THROWS_WITH(element_count({huge, huge}),
                      "Tensor: shape (1099511627776, 1099511627776) is too large");
}

TEST_CASE("Tensor: a copy never changes", "[tensor]") {
    Tensor original{{1, 2}, {3, 4}};
    const Tensor copy = original;
    CHECK(copy.data() == original.data());
    original(0, 1) = Real{20};
    CHECK(original(0, 1) == Real{20});
    CHECK(copy == Tensor{{1, 2}, {3, 4}});

    Tensor second = copy;
    second.mutable_data()[3] = Real{40};
    CHECK(second == Tensor{{1, 2}, {3, 40}});
    CHECK(copy(1, 1) == Real{4});

    Tensor third = copy;
    third.mutable_row(0)[0] = Real{10};
    CHECK(third(0, 0) == Real{10});
    CHECK(copy(0, 0) == Real{1});
}

TEST_CASE("Tensor: a write to numbers with one owner copies nothing", "[tensor]") {
    Tensor x{1, 2, 3};
    const Real* const before = x.data();
    x(1) = Real{5};
    CHECK(x.data() == before);
    {
        const Tensor copy = x;
        CHECK(copy.data() == before);
    }
    x(2) = Real{6};  // the copy is gone
    CHECK(x.data() == before);
}

TEST_CASE("Tensor: reading through a const tensor keeps the numbers shared", "[tensor]") {
    const Tensor x{{1, 2}, {3, 4}};
    const Tensor copy = x;
    CHECK(copy(1, 1) == Real{4});
    CHECK(copy.row(1)[0] == Real{3});
    CHECK(copy.data() == x.data());
}

TEST_CASE("Tensor: assignment over itself and moves keep the numbers", "[tensor]") {
    Tensor x{1, 2, 3};
    const Tensor& alias = x;
    x = alias;
    CHECK(x == Tensor{1, 2, 3});
    const Tensor moved = std::move(x);
    CHECK(moved == Tensor{1, 2, 3});
    x = Tensor{4, 5};
    CHECK(x == Tensor{4, 5});
}

TEST_CASE("dim: a negative axis counts from the end", "[tensor]") {
    const Tensor x(Shape{2, 3, 5});
    CHECK(x.dim(0) == 2);
    CHECK(x.dim(2) == 5);
    CHECK(x.dim(-1) == 5);
    CHECK(x.dim(-3) == 2);
    CHECK_THROWS_WITH(x.dim(3), "dim: axis 3 of shape (2, 3, 5)");
    CHECK_THROWS_AS(x.dim(-4), ShapeError);
}

TEST_CASE("row: one row of all leading dimensions counted as one", "[tensor]") {
    const Tensor x = test::counted({2, 3, 5});
    CHECK(x.num_rows() == 6);
    CHECK(x.row(4).size() == 5);
    CHECK(x.row(4)[0] == x(1, 1, 0));
    CHECK_THROWS_WITH(x.row(6), "Tensor: index (6) is outside shape (2, 3, 5)");
    Tensor y = x;
    CHECK_THROWS_AS(y.mutable_row(6), ShapeError);
    CHECK(Tensor(Shape{4}).num_rows() == 1);
    CHECK(Tensor(Shape{3, 0}).num_rows() == 3);
    CHECK(Tensor(Shape{3, 0}).row(2).empty());
    CHECK(Tensor(Shape{0, 3}).num_rows() == 0);
    CHECK_THROWS_AS(Tensor(Shape{0, 3}).row(0), ShapeError);
}

TEST_CASE("Tensor: an index outside throws where bounds are checked", "[tensor]") {
    Tensor x = test::counted({2, 3});
    CHECK(x(1, 2) == Real{6});
    if constexpr (BERT_CHECK_BOUNDS != 0) {
        const Tensor& fixed = x;
        CHECK_THROWS_WITH(fixed(1, 3), "Tensor: index (1, 3) is outside shape (2, 3)");
        CHECK_THROWS_AS(x(2, 0), ShapeError);
        CHECK_THROWS_AS(x(1), ShapeError);
        CHECK_THROWS_AS(x(0, 0, 0), ShapeError);
        CHECK_THROWS_AS(x(-1, 0), ShapeError);
        CHECK_THROWS_AS(Tensor(Shape{2, 0})(1, 0), ShapeError);
    }
}

TEST_CASE("operator==: shapes and numbers decide and NaN equals nothing", "[tensor]") {
    CHECK(Tensor{1, 2} == Tensor{1, 2});
    CHECK_FALSE(Tensor{1, 2} == Tensor{1, 3});
    CHECK_FALSE(Tensor{1, 2} == Tensor{{1, 2}});
    CHECK(Tensor(Shape{0, 3}) == Tensor(Shape{0, 3}));
    CHECK_FALSE(Tensor(Shape{0, 3}) == Tensor(Shape{3, 0}));
    const Tensor nan{1, std::numeric_limits<double>::quiet_NaN()};
    CHECK_FALSE(nan == nan);
}

TEST_CASE("to_string and with_letters: a shape as text", "[tensor]") {
    CHECK(to_string(Shape{}) == "()");
    CHECK(to_string(Shape{4}) == "(4)");
    CHECK(to_string(Shape{2, 0, 3}) == "(2, 0, 3)");
    CHECK(with_letters({2, 3, 4}, "TD") == "(2, T=3, D=4)");
    CHECK(with_letters({3, 4}, "TD") == "(T=3, D=4)");
    CHECK(with_letters({4}, "TD") == "(4)");
    CHECK(with_letters({}, "TD") == "()");
}

TEST_CASE("require_finite: names the first element that is not finite", "[tensor]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_NOTHROW(require_finite("loss", Tensor{{1, -2}, {0, 3e38}}));
    CHECK_NOTHROW(require_finite("loss", Tensor(Shape{0, 3})));
    CHECK_THROWS_WITH(require_finite("loss", Tensor{{1, 2}, {infinity, nan}}),
                      "loss: element (1, 0) is not finite (inf)");
    CHECK_THROWS_WITH(require_finite("loss", Tensor{1, -infinity}),
                      "loss: element (1) is not finite (-inf)");
    CHECK_THROWS_WITH(require_finite("loss", Tensor{-nan, 1}),
                      "loss: element (0) is not finite (nan)");
    CHECK_THROWS_AS(require_finite("loss", Tensor(Shape{}, {static_cast<Real>(nan)})),
                    NumericError);
}

TEST_CASE("require_not_empty: a dimension of size zero is refused", "[tensor]") {
    CHECK_NOTHROW(require_not_empty("x", Tensor(Shape{})));
    CHECK_NOTHROW(require_not_empty("x", Tensor{1, 2}));
    CHECK_THROWS_WITH(require_not_empty("x", Tensor(Shape{2, 0})),
                      "x: shape (2, 0) has a dimension of size zero");
    CHECK_THROWS_AS(require_not_empty("x", Tensor{}), ShapeError);
}
