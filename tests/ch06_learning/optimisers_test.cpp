#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ch06_learning/adam.hpp"
#include "ch06_learning/clip.hpp"
#include "ch06_learning/learning_rate.hpp"
#include "ch06_learning/sgd.hpp"
#include "common/autograd/tape.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Golden = std::map<std::string, Tensor>;
using Parameters = std::vector<NamedParameter>;
using Step = std::function<void(const Parameters&, const std::vector<Tensor>&, double)>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Four ranks, two with weight decay and two without.
const std::vector<std::string> golden_names{"weight", "bias", "filter", "scale"};

// Entry t of the first axis, without that axis.
Tensor at_step(const Tensor& x, std::size_t t) {
    return slice(x, 0, t, t + 1).reshaped(Shape(x.shape().begin() + 1, x.shape().end()));
}

// g = c (w - a) + noise[t], as in the generator.
std::vector<Tensor> golden_gradients(const Golden& arrays, const Parameters& parameters,
                                     std::size_t t) {
    std::vector<Tensor> gradients;
    for (const auto& [name, w] : parameters) {
        gradients.push_back(arrays.at(name + "_curvature") * (*w - arrays.at(name + "_target")) +
                            at_step(arrays.at(name + "_noise"), t));
    }
    return gradients;
}

// Walks the 50 steps of the golden file and compares every parameter after every step.
void check_trajectory(const std::string& optimiser, const Step& step,
                      const std::function<double(std::uint64_t)>& rate) {
    const Golden arrays = golden("ch06_optimisers");
    std::vector<Tensor> w;
    for (const std::string& name : golden_names)
        w.push_back(arrays.at(name + "_start"));
    Parameters parameters;
    for (std::size_t i = 0; i < w.size(); ++i)
        parameters.push_back({golden_names[i], &w[i]});

    double parameter_error = 0.0;
    double norm_error = 0.0;
    for (std::size_t t = 0; t < 50; ++t) {
        std::vector<Tensor> gradients = golden_gradients(arrays, parameters, t);
        const double norm = clip_by_global_norm(gradients, 5.5);
        norm_error = std::max(
            norm_error, std::abs(norm - static_cast<double>(arrays.at(optimiser + "_norms")(t))));
        CHECK_THAT(rate(t + 1), WithinAbs(static_cast<double>(arrays.at(optimiser + "_rates")(t)),
                                          by_precision(1e-8, 1e-16)));
        step(parameters, gradients, rate(t + 1));
        for (const auto& [name, x] : parameters) {
            const Tensor expected = at_step(arrays.at(optimiser + "_" + name), t);
            parameter_error = std::max(parameter_error, max_error(*x, expected));
        }
    }
    std::cout << optimiser << ": largest error of parameters " << parameter_error << ", of norms "
              << norm_error << "\n";
    // Largest errors seen: parameters 2.4e-7 (float), 3.9e-16 (double); norms 4.4e-7, 8.9e-16.
    CHECK(parameter_error <= by_precision(1e-6, 2e-15));
    CHECK(norm_error <= by_precision(1.8e-6, 4e-15));
}

template <typename Optimiser>
Step step_of(Optimiser& optimiser) {
    return [&optimiser](const Parameters& parameters, const std::vector<Tensor>& gradients,
                        double rate) { optimiser.step(parameters, gradients, rate); };
}

// Throws as `Error` with this message, and leaves parameters and state as they are.
template <typename Error, typename Optimiser>
void check_refused(Optimiser optimiser, const std::vector<Tensor>& gradients, double rate,
                   const std::string& message) {
    Tensor weight{{1, 2}, {3, 4}};
    Tensor bias{5, 6};
    const Tensor weight_before = weight;
    const Parameters parameters{{"output.weight", &weight}, {"output.bias", &bias}};
    INFO(message);
    CHECK_THROWS_AS(optimiser.step(parameters, gradients, rate), Error);
    CHECK_THROWS_WITH(optimiser.step(parameters, gradients, rate), ContainsSubstring(message));
    CHECK(weight == weight_before);
    CHECK(bias == Tensor{5, 6});
}

template <typename Optimiser>
void check_refusals(const std::string& name) {
    const Tensor g{{1, 1}, {1, 1}};
    const Tensor b{1, 1};
    const Optimiser optimiser{};
    check_refused<ShapeError>(optimiser, {g}, 0.1,
                              name +
                                  "::step: number of gradients (found 1, expected 2, none for "
                                  "output.bias)");
    check_refused<ShapeError>(optimiser, {g, b, b}, 0.1,
                              name + "::step: number of gradients (found 3, expected 2)");
    check_refused<ShapeError>(optimiser, {g, Tensor{1, 1, 1}}, 0.1,
                              name + "::step: gradient (3) does not fit output.bias (2)");
    check_refused<ShapeError>(optimiser, {g.reshaped({4}), b}, 0.1,
                              "gradient (4) does not fit output.weight (2, 2)");
    check_refused<NumericError>(optimiser, {g, Tensor{1, not_a_number}}, 0.1,
                                "gradient of output.bias: element (1) is not finite (nan)");
    check_refused<NumericError>(optimiser, {Tensor{{1, 1}, {-infinity, not_a_number}}, b}, 0.1,
                                "gradient of output.weight: element (1, 0) is not finite (-inf)");
    for (const double rate : {0.0, -1.0, not_a_number, infinity}) {
        check_refused<std::invalid_argument>(optimiser, {g, b}, rate,
                                             name + "::step: learning rate (found ");
    }
}

// The same steps with 1, 2 and 3 threads on tensors that threads share, and on small ones.
template <typename Optimiser>
void check_threads(const Optimiser& fresh) {
    std::vector<Tensor> results;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        Random random{6};
        Tensor large = normal(random, {300, 257}, 0.0, 1.0);
        Tensor small = normal(random, {7}, 0.0, 1.0);
        const Parameters parameters{{"large", &large}, {"small", &small}};
        Optimiser optimiser = fresh;
        for (int t = 0; t < 3; ++t) {
            std::vector<Tensor> gradients{normal(random, {300, 257}, 0.0, 1.0),
                                          normal(random, {7}, 0.0, 1.0)};
            clip_by_global_norm(gradients, 10.0);
            optimiser.step(parameters, gradients, 0.1);
        }
        results.push_back(large);
        results.push_back(small);
    }
    omp_set_num_threads(omp_get_num_procs());
    for (std::size_t i = 2; i < results.size(); ++i)
        CHECK(results[i] == results[i - 2]);
}

}  // namespace

TEST_CASE("Sgd: two steps worked by hand", "[ch06]") {
    Tensor w{1, -2};
    Sgd sgd;
    sgd.step({{"w", &w}}, {Tensor{4, 8}}, 0.25);
    CHECK(w == Tensor{0, -4});
    sgd.step({{"w", &w}}, {Tensor{-2, 0}}, 0.5);
    CHECK(w == Tensor{1, -4});
    CHECK(sgd.velocities.empty());
}

// v = 4, then 0.5 * 4 + 2 = 4, then 0.5 * 4 - 2 = 0.
TEST_CASE("Sgd: three steps with momentum worked by hand", "[ch06]") {
    Tensor w{1};
    Sgd sgd{.momentum = 0.5, .velocities = {}};
    sgd.step({{"w", &w}}, {Tensor{4}}, 0.25);
    CHECK(w == Tensor{0});
    sgd.step({{"w", &w}}, {Tensor{2}}, 0.25);
    CHECK(w == Tensor{-1});
    sgd.step({{"w", &w}}, {Tensor{-2}}, 0.25);
    CHECK(w == Tensor{-1});
    CHECK(sgd.velocities == std::vector<Tensor>{Tensor{0}});
}

// With b1 = b2 = 1/2: m = 2, v = 8, corrected 4 and 16, quotient 1; then m = 0, v = 8, corrected 0.
TEST_CASE("Adam: two steps worked by hand", "[ch06]") {
    Tensor w{3};
    Adam adam;
    adam.settings = {.beta1 = 0.5, .beta2 = 0.5, .epsilon = 1e-12};
    adam.step({{"w", &w}}, {Tensor{4}}, 0.25);
    constexpr double tolerance = 1e-6;  // largest errors seen: 0 (float), 6.3e-14 (double)
    CHECK_THAT(w(0), WithinAbs(2.75, tolerance));
    CHECK(adam.first_moments[0] == Tensor{2});
    CHECK(adam.second_moments[0] == Tensor{8});
    adam.step({{"w", &w}}, {Tensor{-2}}, 0.25);
    CHECK_THAT(w(0), WithinAbs(2.75, tolerance));
    CHECK(adam.first_moments[0] == Tensor{0});
    CHECK(adam.second_moments[0] == Tensor{6});
    CHECK(adam.steps == 2);
}

// b^t is 0 by then, and m and v are what one gradient leaves: 2 and 8.
TEST_CASE("Adam: after very many steps nothing is corrected", "[ch06]") {
    Tensor w{3};
    Adam adam{.settings = {.beta1 = 0.5, .beta2 = 0.5},
              .steps = std::uint64_t{1} << 40U,
              .first_moments = {Tensor{0}},
              .second_moments = {Tensor{0}}};
    adam.step({{"w", &w}}, {Tensor{4}}, 0.25);
    // Largest errors seen: 8e-8 (float), 5e-10 (double, by the epsilon).
    CHECK_THAT(w(0), WithinAbs(3.0 - 0.25 * 2.0 / std::sqrt(8.0), by_precision(3e-7, 2.5e-9)));
    CHECK(adam.steps == (std::uint64_t{1} << 40U) + 1U);
}

TEST_CASE("Sgd: the largest finite gradient is taken", "[ch06]") {
    Tensor w{0};
    const Real most = std::numeric_limits<Real>::max();
    Sgd{}.step({{"w", &w}}, {Tensor{most}}, 0.5);
    CHECK(w == Tensor{-most / 2});
}

TEST_CASE("Adam: the first step is one learning rate long whatever the gradient", "[ch06]") {
    Tensor w{0, 0, 0, 0};
    Adam adam;
    adam.step({{"w", &w}}, {Tensor{1e-3, -1.0, 1e6, 0}}, 0.125);
    // Largest error seen: 1.25e-6, which the epsilon takes: 1e-8 / 1e-3 of the first step.
    CHECK(max_error(w, Tensor{-0.125, 0.125, -0.125, 0}) <= 5e-6);
    CHECK(w(3) == 0);
}

TEST_CASE("Adam: a gradient of zero changes nothing but what decays", "[ch06]") {
    Tensor weight{{8, -4}};
    Tensor bias{8, -4};
    const Parameters parameters{{"weight", &weight}, {"bias", &bias}};
    Adam adam;
    adam.settings.weight_decay = 0.5;
    for (int t = 0; t < 2; ++t)
        adam.step(parameters, {Tensor(Shape{1, 2}), Tensor(Shape{2})}, 0.5);
    CHECK(weight == Tensor{{4.5, -2.25}});  // times (1 - 0.5 * 0.5) twice
    CHECK(bias == Tensor{8, -4});
    adam.settings.weight_decay = 0.0;
    adam.step(parameters, {Tensor(Shape{1, 2}), Tensor(Shape{2})}, 0.5);
    CHECK(weight == Tensor{{4.5, -2.25}});
}

TEST_CASE("has_weight_decay: matrices do and biases and gains do not", "[ch06]") {
    Tensor matrix(Shape{1, 3});
    Tensor filter(Shape{2, 2, 2});
    Tensor vector(Shape{3});
    Tensor number(Shape{});
    CHECK(has_weight_decay({"query.weight", &matrix}));
    CHECK(has_weight_decay({"filter", &filter}));
    CHECK_FALSE(has_weight_decay({"LayerNorm.weight", &vector}));
    CHECK_FALSE(has_weight_decay({"scale", &number}));
}

TEST_CASE("Sgd: 50 steps equal PyTorch", "[ch06]") {
    Sgd sgd;
    check_trajectory("sgd", step_of(sgd),
                     [](std::uint64_t t) { return warmup_then_constant(t, 0.1, 10); });
}

TEST_CASE("Sgd: 50 steps with momentum equal PyTorch", "[ch06]") {
    Sgd sgd{.momentum = 0.9, .velocities = {}};
    check_trajectory("momentum", step_of(sgd),
                     [](std::uint64_t t) { return warmup_then_linear(t, 0.02, 10, 50); });
}

TEST_CASE("Adam: 50 steps equal PyTorch", "[ch06]") {
    Adam adam;
    adam.settings = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9};
    check_trajectory("adam", step_of(adam),
                     [](std::uint64_t t) { return warmup_then_inverse_root(t, 0.02, 8); });
}

TEST_CASE("Adam: 50 steps with decoupled weight decay equal AdamW of PyTorch", "[ch06]") {
    Adam adam;
    adam.settings = {.epsilon = 1e-6, .weight_decay = 0.1};
    check_trajectory("adamw", step_of(adam),
                     [](std::uint64_t t) { return warmup_then_linear(t, 0.02, 10, 50); });
}

TEST_CASE("Adam: the number of threads changes no bit", "[ch06]") {
    check_threads(
        Adam{.settings = {.weight_decay = 0.1}, .first_moments = {}, .second_moments = {}});
    check_threads(Sgd{});
    check_threads(Sgd{.momentum = 0.9, .velocities = {}});
}

TEST_CASE("Adam: a copy of its state goes on with the same bits", "[ch06]") {
    const auto gradient = [](int t) { return std::vector<Tensor>{Tensor{t * 0.5 - 2.0, 1.0 / t}}; };
    Tensor w{1, 2};
    Adam adam;
    for (int t = 1; t <= 3; ++t)
        adam.step({{"w", &w}}, gradient(t), 0.1);
    Tensor resumed_w = w;
    Adam resumed{.settings = adam.settings,
                 .steps = adam.steps,
                 .first_moments = adam.first_moments,
                 .second_moments = adam.second_moments};
    for (int t = 4; t <= 6; ++t) {
        adam.step({{"w", &w}}, gradient(t), 0.1);
        resumed.step({{"w", &resumed_w}}, gradient(t), 0.1);
    }
    CHECK(resumed_w == w);
    CHECK(resumed.steps == 6);
}

TEST_CASE("Adam: parameters stay parameters and their copies keep their numbers", "[ch06]") {
    Tensor w{{1, 2}};
    track(w);
    const Tensor before = w;
    Adam adam;
    adam.step({{"w", &w}}, {w}, 0.1);  // the gradient shares the parameter's numbers
    CHECK(is_tracked(w));
    CHECK(before == Tensor{{1, 2}});
    CHECK(w(0, 0) < 1);
    CHECK_NOTHROW(Adam{}.step({}, {}, 0.1));
}

TEST_CASE("Sgd: what does not fit is refused before anything changes", "[ch06]") {
    check_refusals<Sgd>("Sgd");
    const std::vector<Tensor> gradients{Tensor{{1, 1}, {1, 1}}, Tensor{1, 1}};
    for (const double momentum : {1.0, -0.1, not_a_number}) {
        check_refused<std::invalid_argument>(Sgd{momentum, {}}, gradients, 0.1,
                                             "Sgd::step: momentum (found ");
    }
    check_refused<ShapeError>(Sgd{0.9, {Tensor{1, 2}, Tensor{1, 2}}}, gradients, 0.1,
                              "Sgd::step: velocity (2) does not fit output.weight (2, 2)");
}

TEST_CASE("Adam: what does not fit is refused before anything changes", "[ch06]") {
    check_refusals<Adam>("Adam");
    const std::vector<Tensor> gradients{Tensor{{1, 1}, {1, 1}}, Tensor{1, 1}};
    const auto refused = [&](const AdamSettings& settings, const std::string& message) {
        check_refused<std::invalid_argument>(
            Adam{.settings = settings, .first_moments = {}, .second_moments = {}}, gradients, 0.1,
            "Adam::step: " + message);
    };
    for (const double beta : {1.0, -0.1, not_a_number}) {
        refused({.beta1 = beta}, "beta1 (found ");
        refused({.beta2 = beta}, "beta2 (found ");
    }
    for (const double epsilon : {0.0, -1e-8, not_a_number, infinity})
        refused({.epsilon = epsilon}, "epsilon (found ");
    if (sizeof(Real) == sizeof(float)) refused({.epsilon = 1e-60}, "epsilon (found 1e-60");
    for (const double decay : {-0.1, not_a_number, infinity})
        refused({.weight_decay = decay}, "weight decay (found ");
}

TEST_CASE("Adam: moments that do not fit are refused before anything changes", "[ch06]") {
    const std::vector<Tensor> gradients{Tensor{{1, 1}, {1, 1}}, Tensor{1, 1}};
    const std::vector<Tensor> other{Tensor{1, 1}, Tensor{1, 1}};
    check_refused<ShapeError>(Adam{{}, 1, gradients, other}, gradients, 0.1,
                              "Adam::step: second moment (2) does not fit output.weight (2, 2)");
    check_refused<ShapeError>(Adam{{}, 1, other, gradients}, gradients, 0.1,
                              "Adam::step: first moment (2) does not fit output.weight (2, 2)");
    // Steps were made, so zeros would be wrong.
    check_refused<ShapeError>(Adam{{}, 1, {}, {}}, gradients, 0.1,
                              "number of first moments (found 0, expected 2");
    check_refused<ShapeError>(Adam{{}, 0, gradients, {}}, gradients, 0.1,
                              "number of second moments (found 0, expected 2");
}
