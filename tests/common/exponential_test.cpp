#include "common/tensor/exponential.hpp"

#include <cmath>
#include <cstddef>
#include <iostream>
#include <limits>
#include <vector>

#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using test::by_precision;

TEST_CASE("shifted_exponentials: every element is exp to rounding", "[tensor]") {
    constexpr std::size_t count = 400001;
    std::vector<Real> x(count);
    for (std::size_t i = 0; i < count; ++i)  // from -87 to 0
        x[i] = static_cast<Real>(-87.0 * static_cast<double>(i) / static_cast<double>(count - 1));
    std::vector<Real> y(count);
    const double sum = shifted_exponentials(x.data(), 0, count, y.data());
    double largest = 0.0;
    double expected_sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double expected = std::exp(static_cast<double>(x[i]));
        largest = std::max(largest, std::abs(static_cast<double>(y[i]) / expected - 1.0));
        expected_sum += static_cast<double>(y[i]);
    }
    const double sum_error = std::abs(sum / expected_sum - 1.0);
    std::cout << "largest relative error " << largest << ", of the sum " << sum_error << "\n";
    CHECK(largest <= by_precision(2e-7, 3e-16));  // as the contract says; seen: 9.8e-8, 0
    CHECK(sum_error <= 1e-12);                    // largest seen: 2.5e-13
}

TEST_CASE("shifted_exponentials: subtracts the shift first", "[tensor]") {
    const std::vector<Real> x{1000, 999, 990};
    std::vector<Real> y(3);
    const double sum = shifted_exponentials(x.data(), 1000, 3, y.data());
    CHECK(y[0] == 1);  // exp(0)
    CHECK_THAT(static_cast<double>(y[1]), WithinAbs(std::exp(-1.0), by_precision(6e-8, 1e-16)));
    CHECK_THAT(sum, WithinAbs(1.0 + std::exp(-1.0) + std::exp(-10.0), by_precision(1e-7, 1e-15)));
}

TEST_CASE("shifted_exponentials: far below the largest all is nothing", "[tensor]") {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const std::vector<Real> x{static_cast<Real>(-1e4), -infinity,
                              std::numeric_limits<Real>::lowest(), 0};
    std::vector<Real> y(4, 7);
    CHECK(shifted_exponentials(x.data(), 0, 4, y.data()) == 1.0);
    CHECK(y == std::vector<Real>{0, 0, 0, 1});
    if (sizeof(Real) == sizeof(double)) return;
    const std::vector<Real> edge{static_cast<Real>(-87.29), static_cast<Real>(-87.31)};
    shifted_exponentials(edge.data(), 0, 2, y.data());
    CHECK(y[0] > 0);
    CHECK(y[1] == 0);
}

TEST_CASE("shifted_exponentials: every size gives the sum of its own elements", "[tensor]") {
    for (std::size_t size = 0; size <= 17; ++size) {
        std::vector<Real> x(size + 1, 0);
        std::vector<Real> y(size + 1, 7);
        CHECK(shifted_exponentials(x.data(), 0, size, y.data()) == static_cast<double>(size));
        CHECK(y[size] == 7);  // behind the end
    }
}

TEST_CASE("shifted_exponentials: the result may replace the input", "[tensor]") {
    Random random{1};
    const Tensor x = uniform(random, {101}, -20.0, 0.0);
    std::vector<Real> apart(101);
    std::vector<Real> in_place(x.data(), x.data() + x.size());
    const double sum = shifted_exponentials(x.data(), 0, 101, apart.data());
    CHECK(shifted_exponentials(in_place.data(), 0, 101, in_place.data()) == sum);
    CHECK(in_place == apart);
}
