#include <omp.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ch07_encoder/dropout.hpp"
#include "ch07_encoder/dropout_mask.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

Tensor ones(const Shape& shape) {
    return Tensor(shape) + Real{1};
}

// One result for each of these numbers of threads.
template <typename Make>
std::vector<Tensor> with_threads(const Make& make) {
    const int before = omp_get_max_threads();
    std::vector<Tensor> results;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        results.push_back(make());
    }
    omp_set_num_threads(before);
    return results;
}

}  // namespace

TEST_CASE("draw_dropout_mask: element i is word i of the generator", "[ch07]") {
    Random words{5, 9};
    Random random = words;
    const DropoutMask mask = draw_dropout_mask(random, 0.25, 1001);
    REQUIRE(mask.size == 1001);
    for (std::size_t i = 0; i < mask.size; ++i)
        CHECK(mask.kept.get()[i] == (words.uint32() >= 0x40000000U ? 1 : 0));  // a quarter of 2^32
    CHECK(random.position() == 1001);
}

TEST_CASE("draw_dropout_mask: starts at the next multiple of 4 and ends after the last word",
          "[ch07]") {
    Random random{5};
    random.set_position(6);
    const DropoutMask mask = draw_dropout_mask(random, 0.5, 3);
    CHECK(random.position() == 11);
    Random words{5};
    words.set_position(8);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(mask.kept.get()[i] == (words.uint32() >= 0x80000000U ? 1 : 0));
}

TEST_CASE("Dropout: what stays is divided by 1 - p", "[ch07]") {
    Dropout dropout{0.75, Random{1}};
    const Tensor y = dropout(Tensor{{1, 2, 3, 4}, {5, 6, 7, 8}});
    std::size_t kept = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        if (y.data()[i] == 0) continue;
        CHECK(y.data()[i] == static_cast<Real>(4 * (i + 1)));
        ++kept;
    }
    CHECK(kept > 0);
    CHECK(kept < 8);
}

TEST_CASE("Dropout: the share of zeros is p and the mean stays", "[ch07]") {
    // 1e6 draws: the share has a standard deviation of sqrt(p (1 - p) / 1e6), at most 5e-4.
    for (const double p : {0.1, 0.5, 0.9}) {
        Dropout dropout{p, Random{2}};
        const Tensor y = dropout(ones({1000, 1000}));
        double sum = 0.0;
        std::size_t zeros = 0;
        for (const Real value : y.values()) {
            sum += static_cast<double>(value);
            if (value == 0) ++zeros;
        }
        const double deviation = std::sqrt(p * (1 - p) / 1e6);
        CHECK_THAT(static_cast<double>(zeros) / 1e6, WithinAbs(p, 4 * deviation));
        CHECK_THAT(sum / 1e6, WithinAbs(1.0, 4 * deviation / (1 - p)));
    }
}

TEST_CASE("Dropout: every call draws anew and the position brings a mask back", "[ch07]") {
    Dropout dropout{0.5, Random{3}};
    const std::uint64_t before = dropout.random().position();
    const Tensor first = dropout(ones({100}));
    CHECK(dropout.random().position() == before + 100);
    CHECK_FALSE(dropout(ones({100})) == first);
    dropout.random().set_position(before);
    CHECK(dropout(ones({100})) == first);
}

TEST_CASE("Dropout: probability 0 returns x and draws nothing", "[ch07]") {
    Dropout dropout{0.0, Random{3}};
    const Tensor x = ones({3, 4});
    const Tensor y = dropout(x);
    CHECK(y.data() == x.data());
    CHECK(dropout.random().position() == 0);
}

TEST_CASE("Dropout: a dropped NaN or infinity is 0", "[ch07]") {
    Dropout dropout{0.5, Random{4}};
    Tensor x = ones({64}) * static_cast<Real>(std::numeric_limits<double>::infinity());
    const Tensor y = dropout(x);
    for (const Real value : y.values())
        CHECK((value == 0 || std::isinf(value)));
    CHECK(Dropout{0.5, Random{4}}(Tensor(Shape{0, 3})).shape() == Shape{0, 3});
}

TEST_CASE("Dropout: the gradient passes where the number passed", "[ch07]") {
    Tensor x = ones({5, 9});
    track(x);
    const Tensor y = Dropout{0.3, Random{6}}(x);
    const Tensor gradient = backward(sum_to(y * y, {})).of(x);
    // y = s m x with x = 1, so d(y y)/dx = 2 s^2 m = 2 y^2.
    check_close("gradient", gradient, detach(y * y) * Real{2},
                by_precision(1e-6, 2e-15));  // seen: 0
}

TEST_CASE("Dropout and LayerNorm: the number of threads changes no bit", "[ch07]") {
    const Shape shape{300, 307};  // more than the 65536 elements from which threads share
    const auto drop = [&] { return Dropout{0.1, Random{7}}(ones(shape)); };
    const auto normalise = [&] {
        Random random{8};
        LayerNorm layer{normal(random, {307}, 1.0, 0.2), normal(random, {307}, 0.0, 0.2)};
        track_parameters(layer);
        const Tensor y = layer(normal(random, shape, 0.0, 1.0));
        return backward(sum_to(y * y, {})).of(layer.weight);
    };
    const std::vector<Tensor> dropped = with_threads(drop);
    const std::vector<Tensor> gradients = with_threads(normalise);
    for (std::size_t i = 1; i < 3; ++i) {
        CHECK(dropped[i] == dropped[0]);
        CHECK(gradients[i] == gradients[0]);
    }
}

TEST_CASE("Dropout: a probability outside 0 to 1 is refused", "[ch07]") {
    for (const double p : {-0.1, 1.0, 1.5, std::nan("")}) {
        CHECK_THROWS_AS((Dropout{p, Random{1}}), std::invalid_argument);
        CHECK_THROWS_WITH((Dropout{p, Random{1}}),
                          ContainsSubstring("Dropout: probability (found"));
    }
    CHECK_NOTHROW(Dropout{0.9999999999, Random{1}}(ones({100})));
}
