#include "ch06_learning/cross_entropy.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using Catch::Matchers::WithinAbs;
using test::by_precision;

namespace {

double value(const Tensor& loss) {
    REQUIRE(loss.size() == 1);
    return static_cast<double>(*loss.data());
}

constexpr Real infinity = std::numeric_limits<Real>::infinity();

}  // namespace

TEST_CASE("cross_entropy: three probabilities by hand", "[ch06]") {
    // exp(x) = 1, 2, 5: p = 1/8, 2/8, 5/8
    const Tensor logits{{0.0, std::log(2.0), std::log(5.0)}};
    const double tolerance = by_precision(5e-7, 1e-15);  // largest error seen: 1.2e-7, 2.2e-16
    CHECK_THAT(value(cross_entropy(logits, {0})), WithinAbs(std::log(8.0), tolerance));
    CHECK_THAT(value(cross_entropy(logits, {2})), WithinAbs(std::log(8.0 / 5), tolerance));
    // e = 0.3: 0.7 log(8/5) + 0.1 (log 8 + log 4 + log(8/5))
    const double smoothed = 0.8 * std::log(1.6) + 0.1 * (std::log(8.0) + std::log(4.0));
    CHECK_THAT(value(cross_entropy(logits, {2}, {.label_smoothing = 0.3})),
               WithinAbs(smoothed, tolerance));
}

TEST_CASE("cross_entropy: ignored rows count neither in the sum nor in the mean", "[ch06]") {
    const Tensor logits{{1, 2, 3}, {9, -4, 0}, {0, 1, 0}};
    const Tensor counted{{1, 2, 3}, {0, 1, 0}};
    CHECK(value(cross_entropy(logits, {0, -100, 1})) == value(cross_entropy(counted, {0, 1})));
    CHECK(value(cross_entropy(logits, {0, 7, 1}, {.ignored_label = 7})) ==
          value(cross_entropy(counted, {0, 1})));
}

TEST_CASE("cross_entropy: all rows ignored give loss 0 and gradient 0", "[ch06]") {
    Tensor logits{{1, 2}, {3, 4}};
    track(logits);
    const Tensor loss = cross_entropy(logits, {-100, -100}, {.label_smoothing = 0.1});
    CHECK(value(loss) == 0);
    CHECK(backward(loss).of(logits) == Tensor{{0, 0}, {0, 0}});
}

TEST_CASE("cross_entropy: the gradient is p minus the target over the counted rows", "[ch06]") {
    Tensor logits{{0.0, std::log(2.0), std::log(5.0)}, {0, 0, 0}};
    track(logits);
    const Tensor gradient = backward(cross_entropy(logits, {1, -100})).of(logits);
    test::check_close("cross_entropy gradient", gradient,
                      Tensor{{1.0 / 8, 2.0 / 8 - 1, 5.0 / 8}, {0, 0, 0}},
                      by_precision(3e-7, 1e-15));  // largest error seen: 6e-8, 1.2e-16
}

TEST_CASE("log_softmax: its exponential is softmax and huge logits do not matter", "[ch06]") {
    const Tensor x{{1, -2, 0.5}, {1000, 999, 0}, {-1e30, 0, 0}};
    const Tensor logarithms = log_softmax(x);
    Tensor p(x.shape());
    for (std::size_t i = 0; i < p.size(); ++i)
        p.mutable_data()[i] = std::exp(logarithms.data()[i]);
    test::check_close("exp(log_softmax)", p, softmax(x), by_precision(3e-7, 1e-15));  // 6e-8
    CHECK(logarithms(1, 2) < -900);  // where log(softmax) is log(0)
}

TEST_CASE("log_softmax: -infinity has probability zero and other non-numbers are refused",
          "[ch06]") {
    CHECK(log_softmax(Tensor{{0, -infinity}}) == Tensor{{0, -infinity}});
    for (const Real bad : {infinity, std::numeric_limits<Real>::quiet_NaN()}) {
        CHECK_THROWS_AS(log_softmax(Tensor{{0, 0}, {0, bad}}), NumericError);
        CHECK_THROWS_WITH(cross_entropy(Tensor{{0, 0}, {0, bad}}, {0, 0}),
                          ContainsSubstring("row 1"));
    }
    CHECK_THROWS_AS(log_softmax(Tensor{{-infinity, -infinity}}), NumericError);
    CHECK_THROWS_AS(log_softmax(Tensor(Shape{2, 0})), ShapeError);
    CHECK_THROWS_AS(log_softmax(Tensor(Shape{})), ShapeError);
}

TEST_CASE("cross_entropy: refuses labels smoothing and counts that do not fit", "[ch06]") {
    const Tensor logits{{1, 2, 3}, {4, 5, 6}};
    CHECK_THROWS_WITH(cross_entropy(logits, {0}), ContainsSubstring("2 rows, 1 labels"));
    CHECK_THROWS_WITH(cross_entropy(logits, {0, 3}), ContainsSubstring("found 3, expected 0 to 2"));
    CHECK_THROWS_AS(cross_entropy(logits, {0, -1}), std::invalid_argument);
    for (const double smoothing : {-0.1, 1.0, std::nan("")}) {
        CHECK_THROWS_AS(cross_entropy(logits, {0, 1}, {.label_smoothing = smoothing}),
                        std::invalid_argument);
    }
}

TEST_CASE("cross_entropy: loss and gradient equal PyTorch with ignored labels and smoothing",
          "[ch06]") {
    const auto g = test::golden("ch06_losses");
    std::vector<std::int64_t> labels;
    for (const Real label : g.at("labels").values())
        labels.push_back(static_cast<std::int64_t>(label));
    for (const auto& [name, smoothing] : {std::pair{"plain", 0.0}, std::pair{"smoothed", 0.1}}) {
        Tensor logits = g.at("logits");
        track(logits);
        const Tensor loss = cross_entropy(logits, labels, {.label_smoothing = smoothing});
        const std::string which = name;
        // Largest errors seen: 0 and 7.5e-9 in float, 0 and 5.6e-17 in double.
        test::check_close(which + " loss", loss, g.at(which + "_loss"), by_precision(1e-6, 2e-15));
        test::check_close(which + " gradient", backward(loss).of(logits), g.at(which + "_gradient"),
                          by_precision(1e-7, 1e-15));
    }
}

TEST_CASE("log_softmax: values and gradient equal PyTorch", "[ch06]") {
    const auto g = test::golden("ch06_losses");
    Tensor logits = g.at("logits");
    track(logits);
    const Tensor y = log_softmax(logits);
    // Largest errors seen: 9.5e-7 both in float, 1.8e-15 and 2.7e-15 in double.
    test::check_close("log_softmax", y, g.at("log_softmax"), by_precision(4e-6, 8e-15));
    const Tensor weighted = sum(reshape(y * g.at("upstream"), {y.size()}), 0);
    test::check_close("log_softmax gradient", backward(weighted).of(logits),
                      g.at("log_softmax_gradient"), by_precision(4e-6, 8e-15));
}

TEST_CASE("cross_entropy: is minus the mean of what log_softmax says of the labels", "[ch06]") {
    const auto g = test::golden("ch06_losses");
    const Tensor logarithms = log_softmax(g.at("logits"));
    double sum = 0.0;
    double counted = 0.0;
    std::vector<std::int64_t> labels;
    for (std::size_t r = 0; r < logarithms.num_rows(); ++r) {
        labels.push_back(static_cast<std::int64_t>(g.at("labels").data()[r]));
        if (labels[r] == -100) continue;
        sum -= static_cast<double>(logarithms.row(r)[static_cast<std::size_t>(labels[r])]);
        ++counted;
    }
    CHECK_THAT(value(cross_entropy(g.at("logits"), labels)),
               WithinAbs(sum / counted, by_precision(1e-6, 2e-15)));  // 1.5e-7, 4.5e-16 seen
}
