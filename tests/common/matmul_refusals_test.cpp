#include "common/tensor/matmul.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

Tensor zeros(const Shape& shape) {
    return Tensor(shape);
}

}  // namespace

TEST_CASE("matmul: inner widths that differ are refused with both shapes", "[matmul]") {
    CHECK_THROWS_AS(matmul(zeros({2, 3}), zeros({4, 5})), ShapeError);
    CHECK_THROWS_WITH(matmul(zeros({2, 3}), zeros({4, 5})),
                      "matmul: a (T=2, K=3) and b (K=4, D=5): the inner widths differ (3 and 4)");
    CHECK_THROWS_WITH(
        matmul_transpose_b(zeros({7, 2, 3}), zeros({5, 4})),
        "matmul_transpose_b: a (7, T=2, K=3) and b (S=5, K=4): the inner widths differ (3 and 4)");
    CHECK_THROWS_WITH(
        matmul_transpose_a(zeros({2, 3}), zeros({4, 3})),
        "matmul_transpose_a: a (T=2, K=3) and b (T=4, D=3): the inner widths differ (2 and 4)");
}

TEST_CASE("matmul: batches that differ are refused", "[matmul]") {
    const std::string why = "the batches differ and b is not a single matrix";
    CHECK_THROWS_WITH(matmul(zeros({2, 4, 3}), zeros({5, 3, 4})),
                      "matmul: a (2, T=4, K=3) and b (5, K=3, D=4): " + why);
    CHECK_THROWS_AS(matmul(zeros({4, 3}), zeros({1, 3, 4})), ShapeError);
    CHECK_THROWS_AS(matmul(zeros({2, 4, 3}), zeros({1, 3, 4})), ShapeError);
    CHECK_THROWS_AS(matmul(zeros({2, 3, 4, 3}), zeros({3, 2, 3, 4})), ShapeError);
    CHECK_THROWS_AS(matmul_transpose_a(zeros({2, 3, 4}), zeros({4, 3, 4})), ShapeError);
}

TEST_CASE("matmul: fewer than two dimensions are refused", "[matmul]") {
    CHECK_THROWS_WITH(matmul(zeros({3}), zeros({3, 4})),
                      "matmul: a (3) and b (K=3, D=4): both need at least two dimensions");
    CHECK_THROWS_AS(matmul(zeros({2, 3}), zeros({3})), ShapeError);
    CHECK_THROWS_AS(matmul(zeros({}), zeros({})), ShapeError);
}

TEST_CASE("PackedMatrix: only a matrix with elements is taken", "[matmul]") {
    CHECK_THROWS_WITH(PackedMatrix(zeros({2, 3, 4})),
                      "PackedMatrix: needs a matrix with no dimension of size zero, got (2, 3, 4)");
    CHECK_THROWS_AS(PackedMatrix(zeros({3})), ShapeError);
    CHECK_THROWS_AS(PackedMatrix(zeros({0, 3})), ShapeError);
    CHECK_THROWS_AS(PackedMatrix(zeros({3, 0}), true), ShapeError);
}

TEST_CASE("PackedMatrix: a product that does not fit is refused like the plain one", "[matmul]") {
    CHECK_THROWS_WITH(matmul(zeros({2, 3}), PackedMatrix(zeros({4, 5}))),
                      "matmul: a (T=2, K=3) and b (K=4, D=5): the inner widths differ (3 and 4)");
    CHECK_THROWS_WITH(
        matmul(zeros({2, 3}), PackedMatrix(zeros({5, 4}), true)),
        "matmul_transpose_b: a (T=2, K=3) and b (S=5, K=4): the inner widths differ (3 and 4)");
    CHECK_THROWS_AS(matmul(zeros({3}), PackedMatrix(zeros({3, 4}))), ShapeError);
}

TEST_CASE("set_matmul_method: what was set is in force", "[matmul]") {
    const MatmulMethod before = matmul_method();
    set_matmul_method(MatmulMethod::loop);
    CHECK(matmul_method() == MatmulMethod::loop);
    set_matmul_method(MatmulMethod::library);
    CHECK(matmul_method() == MatmulMethod::library);
    set_matmul_method(before);
}
