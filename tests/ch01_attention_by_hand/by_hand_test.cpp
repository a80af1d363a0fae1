#include <cmath>

#include "ch01_attention_by_hand/attention_by_hand.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

// The arrays are double in every build; largest error seen against the values below: 5e-9, their
// own rounding to eight decimals.
constexpr double printed = 1e-8;
// Against formulas evaluated here in double; largest error seen: 1.8e-15.
constexpr double exact = 1e-12;

const auto steps = attend_by_hand(three_inputs(), worked_example_weights());

template <std::size_t N>
void check_vector(const std::array<double, N>& actual, const std::array<double, N>& expected,
                  double tolerance) {
    for (std::size_t i = 0; i < N; ++i) {
        INFO("entry " << i);
        CHECK_THAT(actual[i], WithinAbs(expected[i], tolerance));
    }
}

// x rounded to this many decimals equals the printed value.
bool rounds_to(double x, double value, int decimals) {
    const double scale = std::pow(10.0, decimals);
    return std::abs(std::round(x * scale) / scale - value) < 1e-12;
}

}  // namespace

TEST_CASE("N01: keys of the three inputs", "[ch01]") {
    CHECK(steps[0].key == SmallVector{0, 1, 1});
    CHECK(steps[1].key == SmallVector{4, 4, 0});
    CHECK(steps[2].key == SmallVector{2, 3, 1});
}

TEST_CASE("N02: values of the three inputs", "[ch01]") {
    CHECK(steps[0].value == SmallVector{1, 2, 3});
    CHECK(steps[1].value == SmallVector{2, 8, 0});
    CHECK(steps[2].value == SmallVector{2, 6, 3});
}

TEST_CASE("N03: queries of the three inputs", "[ch01]") {
    CHECK(steps[0].query == SmallVector{1, 0, 2});
    CHECK(steps[1].query == SmallVector{2, 2, 2});
    CHECK(steps[2].query == SmallVector{2, 1, 3});
}

TEST_CASE("N04: scores are dot products of queries and keys", "[ch01]") {
    CHECK(steps[0].scores == Scores{2, 4, 4});
    CHECK(steps[1].scores == Scores{4, 16, 12});
    CHECK(steps[2].scores == Scores{4, 12, 10});
}

TEST_CASE("N05: softmax of 2 4 4 is not quite 0 0.5 0.5", "[ch01]") {
    // e^2 / (e^2 + 2 e^4) = 1 / (1 + 2 e^2)
    const double first = 1.0 / (1.0 + 2.0 * std::exp(2.0));
    check_vector(steps[0].weights, {first, (1.0 - first) / 2, (1.0 - first) / 2}, exact);
    check_vector(steps[0].weights, {0.06337894, 0.46831053, 0.46831053}, printed);
    // To one decimal the last two are the printed 0.5; the first is 0.1, not 0.0.
    CHECK(rounds_to(steps[0].weights[1], 0.5, 1));
    CHECK(rounds_to(steps[0].weights[2], 0.5, 1));
    CHECK(rounds_to(steps[0].weights[0], 0.1, 1));
    CHECK_FALSE(rounds_to(steps[0].weights[0], 0.0, 1));
}

TEST_CASE("N06: weighted values follow from the rounded weights", "[ch01]") {
    const Scores rounded{0.0, 0.5, 0.5};
    const SmallVector expected[3] = {{0, 0, 0}, {1, 4, 0}, {1, 3, 1.5}};
    for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t c = 0; c < 3; ++c) {
            CHECK(rounded[j] * steps[j].value[c] == expected[j][c]);
            // And the exact ones from the exact weights.
            CHECK(steps[0].weighted_values[j][c] == steps[0].weights[j] * steps[j].value[c]);
        }
    }
    check_vector(steps[0].weighted_values[1], {0.93662106, 3.74648424, 0.0}, printed);
}

TEST_CASE("N07: output of input 1 is 2 7 1.5 only with rounded weights", "[ch01]") {
    check_vector(steps[0].output, {1.93662106, 6.68310531, 1.59506841}, printed);
    const SmallVector rounded{2.0, 7.0, 1.5};
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK(0.5 * steps[1].value[c] + 0.5 * steps[2].value[c] == rounded[c]);
        CHECK_FALSE(rounds_to(steps[0].output[c], rounded[c], 1));
    }
}

TEST_CASE("N08: weights and outputs of inputs 2 and 3", "[ch01]") {
    check_vector(steps[1].weights, {6.0336649e-06, 0.98200786, 0.01798610}, printed);
    check_vector(steps[2].weights, {2.9538722e-04, 0.88053690, 0.11916771}, printed);
    check_vector(steps[1].output, {1.99999397, 7.96399160, 0.05397641}, printed);
    check_vector(steps[2].output, {1.99970461, 7.75989225, 0.35838929}, printed);
    // From the definition: weights of scores 4 16 12 relative to the largest.
    const double sum = std::exp(-12.0) + 1.0 + std::exp(-4.0);
    check_vector(steps[1].weights, {std::exp(-12.0) / sum, 1.0 / sum, std::exp(-4.0) / sum}, exact);
}

TEST_CASE("softmax_by_hand: weights are positive and sum to one", "[ch01]") {
    for (const Scores scores : {Scores{0, 0, 0}, Scores{-3, 7, 1}, Scores{-50, 0, 50}}) {
        const Scores weights = softmax_by_hand(scores);
        CHECK_THAT(weights[0] + weights[1] + weights[2], WithinAbs(1.0, exact));
        for (const double weight : weights)
            CHECK(weight > 0.0);
    }
}

TEST_CASE("softmax_by_hand: adding a number to every score changes nothing", "[ch01]") {
    check_vector(softmax_by_hand({5, 7, 4}), softmax_by_hand({1, 3, 0}), exact);
}

TEST_CASE("attend_by_hand: permuting the inputs permutes the outputs", "[ch01]") {
    const Inputs inputs = three_inputs();
    const auto permuted =
        attend_by_hand({inputs[2], inputs[0], inputs[1]}, worked_example_weights());
    check_vector(permuted[0].output, steps[2].output, exact);
    check_vector(permuted[1].output, steps[0].output, exact);
    check_vector(permuted[2].output, steps[1].output, exact);
}

TEST_CASE("attend_by_hand: equal inputs get equal weights", "[ch01]") {
    const InputVector same{1, 2, 0, 1};
    const auto equal = attend_by_hand({same, same, same}, worked_example_weights());
    check_vector(equal[1].weights, {1.0 / 3, 1.0 / 3, 1.0 / 3}, exact);
    check_vector(equal[1].output, equal[1].value, exact);
}

TEST_CASE("attend_by_hand: queries and keys have different parts", "[ch01]") {
    // The score matrix of the worked example is symmetric; this one is not.
    const auto asymmetric = attend_by_hand(three_inputs(), asymmetric_example_weights());
    CHECK(asymmetric[0].scores == Scores{1, 4, 3});
    CHECK(asymmetric[1].scores == Scores{2, 0, 2});
    CHECK(asymmetric[2].scores == Scores{2, 4, 4});
    check_vector(asymmetric[0].output, {1.96488097, 7.27029292, 0.88384646}, printed);
    check_vector(asymmetric[1].output, {1.53168947, 4.25351575, 2.80986319}, printed);
}

TEST_CASE("softmax: the exponentials that the lesson writes out", "[ch01]") {
    CHECK(rounds_to(std::exp(2.0), 7.389, 3));
    CHECK(rounds_to(std::exp(4.0), 54.598, 3));
    CHECK(rounds_to(std::exp(2.0) + 2 * std::exp(4.0), 116.585, 3));
    // The second number of the output, from weights of four decimals.
    CHECK(rounds_to(0.0634 * 2 + 0.4683 * 8 + 0.4683 * 6, 6.6830, 4));
    CHECK(rounds_to(steps[0].output[1], 6.6831, 4));
}
