#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>

#include "common/tensor/matmul.hpp"
#include "tests/common/matmul_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using test::FormResult;
using test::MatmulCase;
using test::MatmulOperands;
using test::MethodGuard;

namespace {

const std::vector<MatmulMethod> both_methods{MatmulMethod::loop, MatmulMethod::library};

double norm(const Tensor& x, std::size_t start, std::size_t count, std::size_t stride) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(x.data()[start + i * stride]);
        sum += value * value;
    }
    return std::sqrt(sum);
}

// The largest |actual - expected| / (|row of a| |column of b|).
double relative_error(const MatmulCase& c, const MatmulOperands& x, const Tensor& actual,
                      const Tensor& expected) {
    if (actual.shape() != expected.shape()) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t r = 0; r < actual.num_rows(); ++r) {
        const double row = norm(x.a, r * c.k, c.k, 1);
        const std::size_t b_start = c.single_b ? 0 : r / c.m * c.k * c.n;
        for (std::size_t j = 0; j < c.n; ++j) {
            const double error = std::abs(static_cast<double>(actual.row(r)[j]) -
                                          static_cast<double>(expected.row(r)[j]));
            if (std::isnan(error)) return std::numeric_limits<double>::infinity();
            largest = std::max(largest, error / (row * norm(x.b, b_start + j, c.k, c.n)));
        }
    }
    return largest;
}

}  // namespace

TEST_CASE("matmul: numbers worked by hand in every form", "[matmul]") {
    const Tensor a{{1, 2, 3}, {4, 5, 6}};
    const Tensor b{{1, 0}, {2, -1}, {0, 3}};
    const Tensor product{{5, 7}, {14, 13}};
    for (const MatmulMethod method : both_methods) {
        const MethodGuard guard(method);
        for (const FormResult& result : test::every_form({a, b})) {
            INFO(result.form);
            CHECK(result.product == product);
        }
    }
}

TEST_CASE("matmul: a batch worked by hand with two matrices b and with one", "[matmul]") {
    const Tensor a{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    const Tensor b{{{0, 1}, {1, 0}}, {{2, 0}, {0, 3}}};
    for (const MatmulMethod method : both_methods) {
        const MethodGuard guard(method);
        for (const FormResult& result : test::every_form({a, b})) {
            INFO(result.form);
            CHECK(result.product == Tensor{{{2, 1}, {4, 3}}, {{10, 18}, {14, 24}}});
        }
        for (const FormResult& result : test::every_form({a, Tensor{{0, 1}, {1, 0}}})) {
            INFO(result.form);
            CHECK(result.product == Tensor{{{2, 1}, {4, 3}}, {{6, 5}, {8, 7}}});
        }
    }
}

TEST_CASE("matmul: the loop is the sum over the inner index", "[matmul]") {
    const MethodGuard guard(MatmulMethod::loop);
    const MatmulCase c{{2}, 3, 5, 4};
    const MatmulOperands x = test::operands(c);
    const Tensor product = matmul(x.a, x.b);
    test::for_each_index(product.shape(), [&](const test::Index& i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < c.k; ++k)
            sum += test::at(x.a, {i[0], i[1], k}) * test::at(x.b, {i[0], k, i[2]});
        CHECK(test::at(product, i) == static_cast<double>(static_cast<Real>(sum)));
    });
}

TEST_CASE("matmul: the library agrees with the loop on every shape and form", "[matmul]") {
    double worst = 0.0;
    for (const MatmulCase& c : test::matmul_cases()) {
        const MatmulOperands x = test::operands(c);
        Tensor expected;
        {
            const MethodGuard guard(MatmulMethod::loop);
            expected = matmul(x.a, x.b);
        }
        const MethodGuard guard(MatmulMethod::library);
        for (const FormResult& result : test::every_form(x)) {
            INFO(test::to_string(c) << " " << result.form);
            const double error = relative_error(c, x, result.product, expected);
            worst = std::max(worst, error);
            CHECK(error <= 1e-5);  // largest error seen: 2.1e-7
        }
    }
    std::cout << "matmul, library against loop: largest relative error " << worst << "\n";
}

TEST_CASE("matmul: every form of the loop gives the same numbers", "[matmul]") {
    const MethodGuard guard(MatmulMethod::loop);
    for (const MatmulCase& c : test::matmul_cases()) {
        if (c.m * c.k * c.n > 1000000) continue;
        const std::vector<FormResult> results = test::every_form(test::operands(c));
        for (const FormResult& result : results) {
            INFO(test::to_string(c) << " " << result.form);
            CHECK(result.product == results.front().product);
        }
    }
}

TEST_CASE("matmul: NaN and infinity reach exactly the elements they touch", "[matmul]") {
    constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    for (const MatmulMethod method : both_methods) {
        const MethodGuard guard(method);
        for (const MatmulCase& c : {MatmulCase{{}, 67, 40, 259}, MatmulCase{{}, 1, 9, 3}}) {
            MatmulOperands x{test::counted({c.m, c.k}), test::counted({c.k, c.n})};
            x.a(c.m - 1, c.k - 1) = nan;
            x.b(0, c.n - 1) = infinity;
            for (const FormResult& result : test::every_form(x)) {
                INFO(test::to_string(c) << " " << result.form);
                bool right = true;
                for (std::size_t i = 0; i < c.m; ++i) {
                    for (std::size_t j = 0; j < c.n; ++j) {
                        const Real value = static_cast<const Tensor&>(result.product)(i, j);
                        const bool wanted = i == c.m - 1   ? std::isnan(value)
                                            : j == c.n - 1 ? value == infinity
                                                           : std::isfinite(value);
                        right = right && wanted;
                    }
                }
                CHECK(right);
            }
        }
    }
}

TEST_CASE("matmul: zero times infinity is NaN", "[matmul]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const MatmulMethod method : both_methods) {
        const MethodGuard guard(method);
        for (const FormResult& result :
             test::every_form({Tensor{{0, 1}, {1, 1}}, Tensor{{infinity, 1}, {1, 1}}})) {
            INFO(result.form);
            CHECK(std::isnan(result.product.data()[0]));
            CHECK(result.product.data()[3] == Real{2});
        }
    }
}

TEST_CASE("matmul: dimensions of size zero", "[matmul]") {
    for (const MatmulMethod method : both_methods) {
        const MethodGuard guard(method);
        CHECK(matmul(Tensor(Shape{0, 3}), Tensor(Shape{3, 2})).shape() == Shape{0, 2});
        CHECK(matmul(Tensor(Shape{2, 3}), Tensor(Shape{3, 0})).shape() == Shape{2, 0});
        CHECK(matmul(Tensor(Shape{2, 0}), Tensor(Shape{0, 3})) == Tensor(Shape{2, 3}));
        CHECK(matmul_transpose_b(Tensor(Shape{2, 0}), Tensor(Shape{3, 0})) == Tensor(Shape{2, 3}));
        CHECK(matmul_transpose_a(Tensor(Shape{0, 2}), Tensor(Shape{0, 3})) == Tensor(Shape{2, 3}));
        CHECK(matmul(Tensor(Shape{0, 2, 3}), Tensor(Shape{0, 3, 4})).shape() == Shape{0, 2, 4});
        CHECK(matmul(Tensor(Shape{0, 3}), PackedMatrix(Tensor(Shape{3, 2}))).shape() ==
              Shape{0, 2});
    }
}

TEST_CASE("PackedMatrix: rows and columns and copies", "[matmul]") {
    Tensor b = test::noise({5, 3}, 1);
    const PackedMatrix packed(b);
    CHECK(packed.rows() == 5);
    CHECK(packed.columns() == 3);
    const PackedMatrix turned(b, true);
    CHECK(turned.rows() == 3);
    CHECK(turned.columns() == 5);

    const Tensor a = test::noise({2, 5}, 2);
    const Tensor before = matmul(a, packed);
    b(0, 0) = Real{1000};  // the packed matrix keeps the numbers that it was given
    const PackedMatrix copy = packed;
    CHECK(matmul(a, copy) == before);
    const MethodGuard guard(MatmulMethod::loop);
    test::check_close("packed, after b changed", matmul(a, copy), before,
                      1e-6);  // largest error seen: 6e-8
}
