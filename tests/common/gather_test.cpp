#include "common/tensor/gather.hpp"

#include <omp.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/common/tensor_indices.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Rows = std::vector<std::int64_t>;

// The gradient of sum over all elements of upstream * gather_rows(table, rows).
Tensor table_gradient(Tensor table, const Rows& rows, const Tensor& upstream) {
    track(table);
    const Shape leading(upstream.shape().begin(), upstream.shape().end() - 1);
    const Tensor y = gather_rows(table, rows, leading) * upstream;
    return backward(sum(reshape(y, {y.size()}), 0)).of(table);
}

// The rows as vectors with a single 1: (number of rows, N).
Tensor one_hot(const Rows& rows, std::size_t count) {
    Tensor x(Shape{rows.size(), count});
    for (std::size_t p = 0; p < rows.size(); ++p)
        x(p, rows[p]) = 1;
    return x;
}

// Many places on few rows, so that all of them are shared.
Rows many_rows(std::size_t places, std::int64_t count) {
    Rows rows(places);
    for (std::size_t p = 0; p < places; ++p)
        rows[p] = static_cast<std::int64_t>(p * p + p / 3) % count;
    return rows;
}

}  // namespace

TEST_CASE("gather_rows: worked by hand", "[tensor]") {
    const Tensor table{{1, 2}, {3, 4}, {5, 6}};
    CHECK(gather_rows(table, {2, 0, 2, 1}, {2, 2}) == Tensor{{{5, 6}, {1, 2}}, {{5, 6}, {3, 4}}});
    CHECK(gather_rows(table, {1}, {}) == Tensor{3, 4});
    CHECK(gather_rows(table, {}, {0}).shape() == Shape{0, 2});
    CHECK(gather_rows(table, {}, {3, 0}).shape() == Shape{3, 0, 2});
    CHECK(gather_rows(Tensor(Shape{3, 0}), {1, 2}, {2}).shape() == Shape{2, 0});
}

// Row 2 is taken twice, row 1 never.
TEST_CASE("gather_rows: the gradient adds up over the places of a row", "[tensor]") {
    const Tensor table{{1, 2}, {3, 4}, {5, 6}};
    CHECK(table_gradient(table, {2, 0, 2}, Tensor{{1, 10}, {2, 20}, {4, 40}}) ==
          Tensor{{2, 20}, {0, 0}, {5, 50}});
    CHECK(table_gradient(table, {1}, Tensor{7, 8}) == Tensor{{0, 0}, {7, 8}, {0, 0}});
    CHECK(table_gradient(table, {}, Tensor(Shape{0, 2})) == Tensor(Shape{3, 2}));
    CHECK(table_gradient(Tensor(Shape{3, 0}), {1}, Tensor(Shape{1, 0})).shape() == Shape{3, 0});
}

TEST_CASE("gather_rows: equals a product with one-hot vectors", "[tensor]") {
    const MatmulMethod method = matmul_method();
    set_matmul_method(MatmulMethod::loop);  // sums in double, in the order of the places
    for (const auto& [places, count, width] :
         std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>{
             {1, 1, 1}, {5, 3, 64}, {9, 4, 65}, {300, 7, 300}}) {
        const Tensor table = noise({count, width}, 3);
        const Tensor upstream = noise({places, width}, 4);
        const Rows rows = many_rows(places, static_cast<std::int64_t>(count));
        const Tensor hot = one_hot(rows, count);
        INFO(places << " places of " << count << " rows of width " << width);
        CHECK(gather_rows(table, rows, {places}) == matmul(hot, table));
        CHECK(table_gradient(table, rows, upstream) == matmul_transpose_a(hot, upstream));
    }
    set_matmul_method(method);
}

TEST_CASE("gather_rows: values and gradients equal an embedding in PyTorch", "[tensor]") {
    const auto expected = golden("ch06_functions");
    Rows rows;
    for (const Real row : expected.at("rows").values())
        rows.push_back(static_cast<std::int64_t>(row));
    const Tensor& table = expected.at("table");
    CHECK(gather_rows(table, rows, {3, 5}) == expected.at("gathered"));
    // Largest error seen: 0.
    check_close("table gradient", table_gradient(table, rows, expected.at("rows_upstream")),
                expected.at("table_gradient"), by_precision(1e-6, 1e-14));
}

TEST_CASE("gather_rows: the number of threads changes no bit", "[tensor]") {
    const Tensor table = noise({11, 130}, 5);
    const Tensor upstream = noise({600, 130}, 6);
    const Rows rows = many_rows(600, 11);
    omp_set_num_threads(1);
    const Tensor y = gather_rows(table, rows, {600});
    const Tensor gradient = table_gradient(table, rows, upstream);
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        CHECK(gather_rows(table, rows, {600}) == y);
        CHECK(table_gradient(table, rows, upstream) == gradient);
    }
    omp_set_num_threads(omp_get_num_procs());
}

// In float 2^24 + 1 is 2^24, so that sums in float would stop there.
TEST_CASE("gather_rows: sums of the gradient are made in double", "[tensor]") {
    Tensor upstream(Shape{5, 1}, {16777216, 1, 1, 1, 1});
    CHECK(table_gradient(Tensor(Shape{1, 1}), {0, 0, 0, 0, 0}, upstream)(0, 0) == 16777220);
}

TEST_CASE("gather_rows: rows outside the table are refused", "[tensor]") {
    const Tensor table(Shape{3, 2});
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t row : {std::int64_t{3}, std::int64_t{-1}, most, -most - 1}) {
        CHECK_THROWS_AS(gather_rows(table, {0, row}, {2}), std::invalid_argument);
        CHECK_THROWS_WITH(gather_rows(table, {0, row}, {2}),
                          ContainsSubstring("gather_rows: row number 1 (found " +
                                            std::to_string(row) + ", expected 0 to 2)"));
    }
    CHECK_THROWS_WITH(
        gather_rows(Tensor(Shape{0, 2}), {0}, {1}),
        ContainsSubstring("row number 0 (found 0, expected none: the table is empty)"));
}

TEST_CASE("gather_rows: shapes that do not fit are refused", "[tensor]") {
    CHECK_THROWS_AS(gather_rows(Tensor(Shape{3}), {0}, {1}), ShapeError);
    CHECK_THROWS_WITH(gather_rows(Tensor(Shape{3}), {0}, {1}),
                      ContainsSubstring("gather_rows: table (3) is not (N, D)"));
    CHECK_THROWS_AS(gather_rows(Tensor(Shape{3, 2}), {0, 1}, {3}), ShapeError);
    CHECK_THROWS_WITH(gather_rows(Tensor(Shape{3, 2}), {0, 1}, {3}),
                      ContainsSubstring("gather_rows: 2 rows do not fill (3)"));
    CHECK_THROWS_AS(gather_rows(Tensor(Shape{3, 2}), {}, {}), ShapeError);
}
