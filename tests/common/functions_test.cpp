#include "common/tensor/functions.hpp"

#include <omp.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/common/tensor_indices.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

// The gradient of sum over i of upstream[i] f(x[i]).
template <typename Function>
Tensor gradient_of(Function function, Tensor x, const Tensor& upstream) {
    track(x);
    const Tensor y = function(x);
    const Tensor loss = sum(reshape(y * upstream, {y.size()}), 0);
    return backward(loss).of(x);
}

}  // namespace

TEST_CASE("tanh and sigmoid: equal the formulas", "[tensor]") {
    const Tensor x = noise({3, 5}, 6) * Real{4};
    const Tensor t = tanh(x);
    const Tensor s = sigmoid(x);
    REQUIRE(t.shape() == x.shape());
    REQUIRE(s.shape() == x.shape());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double e = std::exp(static_cast<double>(x.data()[i]));
        // Largest errors seen: 5.6e-8 (float), 2.2e-16 (double).
        const double tolerance = by_precision(2.5e-7, 1e-15);
        CHECK_THAT(t.data()[i], WithinAbs((e - 1 / e) / (e + 1 / e), tolerance));
        CHECK_THAT(s.data()[i], WithinAbs(e / (1 + e), tolerance));
    }
}

TEST_CASE("tanh and sigmoid: values known without rounding", "[tensor]") {
    const Real infinity = std::numeric_limits<Real>::infinity();
    const Tensor x{0.0, 1000.0, -1000.0, static_cast<double>(infinity),
                   -static_cast<double>(infinity)};
    CHECK(tanh(x) == Tensor{0, 1, -1, 1, -1});
    CHECK(sigmoid(x) == Tensor{0.5, 1, 0, 1, 0});
    CHECK(std::isnan(tanh(Tensor{std::nan("")})(0)));
    CHECK(std::isnan(sigmoid(Tensor{std::nan("")})(0)));
    CHECK(tanh(Tensor(Shape{})) == Tensor(Shape{}));
    CHECK(sigmoid(Tensor(Shape{2, 0})).shape() == Shape{2, 0});
}

TEST_CASE("sigmoid: small results keep their digits", "[tensor]") {
    for (const double x : {-20.0, -50.0, -80.0}) {
        const double y = static_cast<double>(sigmoid(Tensor{x})(0));
        CHECK_THAT(y / std::exp(x), WithinAbs(1.0, 1.4e-7));  // largest error seen: 3.4e-8
    }
}

TEST_CASE("tanh and sigmoid: values and gradients equal PyTorch", "[tensor]") {
    const auto expected = golden("ch06_functions");
    const Tensor& x = expected.at("x");
    const Tensor& upstream = expected.at("upstream");
    // Largest errors seen: 1.5e-7 (float), 4.4e-16 (double).
    const double tolerance = by_precision(5e-7, 2e-15);
    check_close("tanh", tanh(x), expected.at("tanh"), tolerance);
    check_close("sigmoid", sigmoid(x), expected.at("sigmoid"), tolerance);
    check_close("tanh gradient", gradient_of(bert::tanh, x, upstream), expected.at("tanh_gradient"),
                tolerance);
    check_close("sigmoid gradient", gradient_of(bert::sigmoid, x, upstream),
                expected.at("sigmoid_gradient"), tolerance);
}

TEST_CASE("tanh and sigmoid: the number of threads changes no bit", "[tensor]") {
    const Tensor x = noise({257, 300}, 7);
    const Tensor upstream = noise({257, 300}, 8);
    std::vector<Tensor> results;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        for (Tensor& result :
             std::vector<Tensor>{tanh(x), sigmoid(x), gradient_of(bert::tanh, x, upstream),
                                 gradient_of(bert::sigmoid, x, upstream)})
            results.push_back(result);
    }
    omp_set_num_threads(omp_get_num_procs());
    for (std::size_t i = 4; i < results.size(); ++i)
        CHECK(results[i] == results[i - 4]);
    CHECK(results[0](256, 299) == tanh(Tensor{x(256, 299)})(0));
}
