#include "ch06_learning/attention_gradients.hpp"

#include <cmath>
#include <iostream>
#include <string>

#include "ch01_attention_by_hand/examples.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

const double scale = 1.0 / std::sqrt(3.0);

// Inputs, weights and output gradient between -1 and 1: nothing is symmetric.
AttentionLoss random_problem(std::uint64_t seed) {
    Random random{seed};
    AttentionLoss problem{};
    problem.score_factor = scale;
    const auto fill = [&random](auto& rows) {
        for (auto& row : rows) {
            for (double& x : row)
                x = random.uniform(-1, 1);
        }
    };
    fill(problem.inputs);
    fill(problem.weights.key);
    fill(problem.weights.query);
    fill(problem.weights.value);
    fill(problem.output_gradient);
    return problem;
}

// L = the sum of all outputs.
AttentionLoss sum_of_outputs(double factor) {
    AttentionLoss problem = one_output(factor, 0, 0);
    for (SmallVector& row : problem.output_gradient)
        row = {1, 1, 1};
    return problem;
}

void check_all_ways(const std::string& what, const AttentionLoss& problem) {
    const ProjectionWeights by_hand = gradients_by_hand(problem).matrices;
    const double graph = largest_difference(by_hand, gradients_by_graph(problem));
    const double tape = largest_difference(by_hand, gradients_by_tape(problem));
    const double differences = largest_difference(by_hand, gradients_by_differences(problem));
    std::cout << what << ": graph " << graph << ", tape " << tape << ", differences " << differences
              << "\n";
    INFO(what);
    CHECK(graph <= 4e-14);                     // largest seen: 7.6e-15
    CHECK(tape <= by_precision(3e-6, 4e-14));  // largest seen: 6.6e-7, 9.1e-15
    CHECK(differences <= 1.5e-9);              // largest seen: 3.2e-10
}

}  // namespace

TEST_CASE("gradients: by hand and by graph and by tape and by differences are equal", "[ch06]") {
    check_all_ways("sum of outputs", sum_of_outputs(scale));
    check_all_ways("sum of outputs, not scaled", sum_of_outputs(1.0));
    for (std::size_t i = 0; i < num_inputs; ++i) {
        for (std::size_t c = 0; c < vector_width; ++c)
            check_all_ways("one output", one_output(scale, i, c));
    }
    for (std::uint64_t seed = 0; seed < 5; ++seed)
        check_all_ways("random", random_problem(seed));
}

TEST_CASE("gradients: from an output to the scores of input 1 worked by hand", "[ch06]") {
    // Without scale input 1 scores 2 4 4: weights 1, e^2, e^2 over 1 + 2 e^2. L is entry 2 of its
    // output; the values there are 2, 8, 6.
    const AttentionLoss problem = one_output(1.0, 0, 1);
    const AttentionForward f = forward(problem);
    const AttentionGradients d = gradients_by_hand(problem);
    const double e2 = std::exp(2.0);
    const double a[] = {1 / (1 + 2 * e2), e2 / (1 + 2 * e2), e2 / (1 + 2 * e2)};
    const double value[] = {2, 8, 6};
    const double output = a[0] * 2 + a[1] * 8 + a[2] * 6;
    constexpr double tolerance = 4e-15;  // largest error seen: 8.9e-16
    CHECK_THAT(f.loss, WithinAbs(output, tolerance));
    CHECK_THAT(f.output[0][1], WithinAbs(6.68310531, 5e-9));  // N07
    // The keys are 0 1 1, 4 4 0 and 2 3 1, the query is 1 0 2.
    const double key[3][3] = {{0, 1, 1}, {4, 4, 0}, {2, 3, 1}};
    const double query[] = {1, 0, 2};
    double query_gradient[3] = {};
    for (std::size_t j = 0; j < 3; ++j) {
        CHECK_THAT(f.weights[0][j], WithinAbs(a[j], tolerance));
        CHECK(d.weights[0][j] == value[j]);
        const double score = a[j] * (value[j] - output);
        CHECK_THAT(d.scores[0][j], WithinAbs(score, tolerance));
        CHECK_THAT(d.value[j][1], WithinAbs(a[j], tolerance));
        CHECK(d.value[j][0] == 0);
        for (std::size_t c = 0; c < 3; ++c) {
            query_gradient[c] += score * key[j][c];
            CHECK_THAT(d.key[j][c], WithinAbs(score * query[c], tolerance));
        }
    }
    // Input 1 is 1 0 1 0: rows 1 and 3 of W_Q get the gradient of its query, rows 2 and 4 nothing.
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK_THAT(d.query[0][c], WithinAbs(query_gradient[c], tolerance));
        CHECK(d.query[1][c] == 0);
        for (const std::size_t r : {0U, 2U})
            CHECK_THAT(d.matrices.query[r][c], WithinAbs(query_gradient[c], tolerance));
        for (const std::size_t r : {1U, 3U})
            CHECK(d.matrices.query[r][c] == 0);
    }
}

TEST_CASE("forward: with factor 1 the steps of chapter 1", "[ch06]") {
    const auto steps = attend_by_hand(three_inputs(), worked_example_weights());
    const AttentionForward f = forward(one_output(1.0, 2, 1));
    for (std::size_t i = 0; i < num_inputs; ++i) {
        CHECK(f.query[i] == steps[i].query);
        CHECK(f.key[i] == steps[i].key);
        CHECK(f.value[i] == steps[i].value);
        CHECK(f.weights[i] == steps[i].weights);
        CHECK(f.output[i] == steps[i].output);
    }
    CHECK(f.loss == steps[2].output[1]);
}

TEST_CASE("gradients: the scores of a query share out a gradient that sums to 0", "[ch06]") {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const AttentionGradients d = gradients_by_hand(random_problem(seed));
        for (const Scores& row : d.scores)
            CHECK_THAT(row[0] + row[1] + row[2], WithinAbs(0, 4e-16));  // largest seen: 1.1e-16
    }
}

TEST_CASE("gradients: no gradient reaches the queries and keys of equal values", "[ch06]") {
    AttentionLoss problem = sum_of_outputs(scale);
    problem.weights.value = {{{1, 2, 3}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    problem.inputs = {{{1, 0, 1, 0}, {1, 2, 0, 2}, {1, 1, 1, 1}}};
    const AttentionGradients d = gradients_by_hand(problem);
    constexpr double tolerance = 1e-14;  // largest error seen: 0
    CHECK(largest_difference({d.matrices.key, d.matrices.query, {}}, {}) <= tolerance);
    CHECK_THAT(d.matrices.value[0][0], WithinAbs(3, tolerance));  // every weight sums to 1
}

TEST_CASE("largest_difference: finds one entry of each matrix and NaN", "[ch06]") {
    const ProjectionWeights zero{};
    ProjectionWeights other{};
    CHECK(largest_difference(zero, other) == 0);
    other.key[3][2] = 1;
    CHECK(largest_difference(zero, other) == 1);
    other.query[1][0] = -2;
    CHECK(largest_difference(zero, other) == 2);
    other.value[0][1] = 3;
    CHECK(largest_difference(zero, other) == 3);
    other.query[0][0] = std::nan("");
    CHECK(std::isinf(largest_difference(zero, other)));
}
