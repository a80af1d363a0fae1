#include "ch06_learning/scalar_graph.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Function = std::function<Scalar(Scalar, Scalar)>;

// The gradient of f at (a, b) by the graph, less the one by central differences.
void check_by_differences(const Function& f, double a, double b) {
    ScalarGraph graph;
    const Scalar x = graph.number(a);
    const Scalar y = graph.number(b);
    const ScalarGradients gradients = graph.backward(f(x, y));
    const auto value = [&f](double at_a, double at_b) {
        ScalarGraph other;
        return f(other.number(at_a), other.number(at_b)).value();
    };
    constexpr double step = 1e-5;
    const double by_a = (value(a + step, b) - value(a - step, b)) / (2 * step);
    const double by_b = (value(a, b + step) - value(a, b - step)) / (2 * step);
    constexpr double tolerance = 4e-8;  // largest error seen: 8.3e-9 at a gradient of 13
    CHECK_THAT(gradients.of(x), WithinAbs(by_a, tolerance));
    CHECK_THAT(gradients.of(y), WithinAbs(by_b, tolerance));
}

}  // namespace

TEST_CASE("ScalarGraph: a number used twice gets the sum over its uses", "[ch06]") {
    ScalarGraph graph;
    const Scalar x = graph.number(3);
    const Scalar y = x * x + x;
    CHECK(y.value() == 12);
    CHECK(graph.backward(y).of(x) == 7);           // 2 x + 1
    CHECK(graph.backward(x * x * x).of(x) == 27);  // 3 x^2
    CHECK(graph.backward(x - x).of(x) == 0);
    CHECK(graph.backward(x / x).of(x) == 0);
}

TEST_CASE("ScalarGraph: attention over two keys worked by hand", "[ch06]") {
    // Scores 0 and ln 3: weights 1/4 and 3/4; values 8 and 4: output 5.
    ScalarGraph graph;
    const Scalar s1 = graph.number(0), s2 = graph.number(std::log(3.0));
    const Scalar v1 = graph.number(8), v2 = graph.number(4);
    const Scalar e1 = exp(s1), e2 = exp(s2);
    const Scalar sum = e1 + e2;
    const Scalar a1 = e1 / sum, a2 = e2 / sum;
    const Scalar output = a1 * v1 + a2 * v2;
    const ScalarGradients gradients = graph.backward(output);
    constexpr double tolerance = 4e-15;  // largest error seen: 8.9e-16
    const auto check = [&](Scalar x, double value, double gradient) {
        CHECK_THAT(x.value(), WithinAbs(value, tolerance));
        CHECK_THAT(gradients.of(x), WithinAbs(gradient, tolerance));
    };
    check(output, 5, 1);
    check(v1, 8, 0.25);
    check(v2, 4, 0.75);
    check(a1, 0.25, 8);
    check(a2, 0.75, 4);
    check(sum, 4, -1.25);             // -8 * 1/16 - 4 * 3/16
    check(e1, 1, 0.75);               // 8/4 - 1.25
    check(e2, 3, -0.25);              // 4/4 - 1.25
    check(s1, 0, 0.75);               // 1 * 0.75, which is a1 (8 - 5)
    check(s2, std::log(3.0), -0.75);  // 3 * -0.25, which is a2 (4 - 5)
}

TEST_CASE("ScalarGraph: every operation has the slope of central differences", "[ch06]") {
    for (const auto& [a, b] : std::vector<std::pair<double, double>>{{0.7, -1.3}, {-2.1, 0.4}}) {
        check_by_differences([](Scalar x, Scalar y) { return x + y; }, a, b);
        check_by_differences([](Scalar x, Scalar y) { return x - y; }, a, b);
        check_by_differences([](Scalar x, Scalar y) { return x * y; }, a, b);
        check_by_differences([](Scalar x, Scalar y) { return x / y; }, a, b);
        check_by_differences([](Scalar x, Scalar y) { return exp(x) - y; }, a, b);
        check_by_differences([](Scalar x, Scalar y) { return exp(x * y) / (x * x + exp(y)); }, a,
                             b);
    }
}

TEST_CASE("ScalarGraph: nodes stand after their inputs and keep operation and slopes", "[ch06]") {
    ScalarGraph graph;
    const Scalar x = graph.number(6), y = graph.number(2);
    const Scalar quotient = x / y;
    REQUIRE(graph.nodes().size() == 3);
    CHECK(quotient.index() == 2);
    const ScalarNode& node = graph.nodes()[2];
    CHECK(node.operation == "/");
    CHECK(node.value == 3);
    REQUIRE(node.inputs.size() == 2);
    CHECK(node.inputs[0].index == 0);
    CHECK(node.inputs[0].slope == 0.5);
    CHECK(node.inputs[1].index == 1);
    CHECK(node.inputs[1].slope == -1.5);
    CHECK(graph.nodes()[0].operation == "number");
    CHECK(exp(x).value() == std::exp(6.0));
    CHECK(graph.nodes()[3].operation == "exp");
    CHECK((x - y).value() == 4);
    CHECK(graph.nodes()[4].operation == "-");
}

TEST_CASE("ScalarGraph: backward reaches what y was made from and nothing else", "[ch06]") {
    ScalarGraph graph;
    const Scalar x = graph.number(2), unused = graph.number(5);
    const Scalar y = x * x;
    const Scalar later = y * unused;
    const ScalarGradients gradients = graph.backward(y);
    CHECK(gradients.of(x) == 4);
    CHECK(gradients.of(unused) == 0);
    CHECK(gradients.of(later) == 0);
    CHECK(gradients.of(graph.number(1)) == 0);  // made after the gradients
    CHECK(graph.backward(later).of(x) == 20);   // the graph is not used up
}

TEST_CASE("ScalarGraph: an operation of one's own is one call of append", "[ch06]") {
    ScalarGraph graph;
    const Scalar x = graph.number(0.5);
    const double t = std::tanh(x.value());
    const Scalar y = graph.append({"tanh", t, {{x.index(), 1 - t * t}}});
    const Scalar by_exp = (exp(x) - exp(graph.number(0) - x)) / (exp(x) + exp(graph.number(0) - x));
    constexpr double tolerance = 1e-15;  // largest error seen: 2.2e-16
    CHECK_THAT(graph.backward(by_exp).of(x), WithinAbs(graph.backward(y).of(x), tolerance));
}

TEST_CASE("ScalarGraph: numbers of two graphs are refused", "[ch06]") {
    ScalarGraph graph, other;
    const Scalar x = graph.number(1), y = other.number(1);
    CHECK_THROWS_AS(x + y, std::invalid_argument);
    CHECK_THROWS_AS(x - y, std::invalid_argument);
    CHECK_THROWS_AS(x * y, std::invalid_argument);
    CHECK_THROWS_AS(x / y, std::invalid_argument);
    CHECK_THROWS_AS(graph.backward(y), std::invalid_argument);
    CHECK_THROWS_AS(graph.backward(x).of(y), std::invalid_argument);
    CHECK_THROWS_WITH(graph.append({"exp", 1.0, {{7, 1.0}}}),
                      ContainsSubstring("an input that is not in the graph"));
    CHECK(graph.nodes().size() == 1);
}
