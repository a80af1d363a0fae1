// Gradients by the tape against central differences.
#include <algorithm>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch06_learning/gradient_check.hpp"
#include "ch07_encoder/activations.hpp"
#include "ch07_encoder/dropout.hpp"
#include "ch07_encoder/encoder.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "common/autograd/tape.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;
using Inputs = std::vector<Tensor>;

namespace {

// Largest errors seen: 7e-11 in double, 4e-4 in float.
const double tolerance = by_precision(2e-2, 1e-8);
const double difference = by_precision(1e-1, 1e-3);

Inputs random_inputs(const std::vector<Shape>& shapes) {
    Random random{71};
    Inputs inputs;
    for (const Shape& shape : shapes)
        inputs.push_back(normal(random, shape, 0.5, 1.0));
    return inputs;
}

double error_of(const Operation& operation, const std::vector<Shape>& shapes) {
    return operation_gradient_error(operation, random_inputs(shapes), difference);
}

}  // namespace

TEST_CASE("gradients: layer_norm on awkward shapes", "[ch07]") {
    const auto layer_norm = [](const Inputs& in) { return LayerNorm{in[1], in[2]}(in[0]); };
    CHECK(error_of(layer_norm, {{3, 2, 5}, {5}, {5}}) <= tolerance);
    CHECK(error_of(layer_norm, {{1, 3}, {3}, {3}}) <= tolerance);
    CHECK(error_of(layer_norm, {{40, 5}, {5}, {5}}) <= tolerance);
    CHECK(error_of(layer_norm, {{4}, {4}, {4}}) <= tolerance);
}

TEST_CASE("gradients: layer_norm of rows of one number is zero but for the bias", "[ch07]") {
    Inputs in = random_inputs({{3, 1}, {1}, {1}});
    for (Tensor& input : in)
        track(input);
    const Gradients gradients = backward(weighted_sum(LayerNorm{in[1], in[2]}(in[0])));
    CHECK(gradients.of(in[0]) == Tensor(Shape{3, 1}));
    CHECK(gradients.of(in[1]) == Tensor(Shape{1}));
    CHECK(gradients.of(in[2])(0) > 1);
}

TEST_CASE("gradients: relu away from 0 and gelu and gelu_tanh", "[ch07]") {
    const auto check = [](Activation activation) {
        const auto operation = [activation](const Inputs& in) {
            return activate(activation, in[0]);
        };
        // At least 0.25 from 0, where relu has its kink.
        const Inputs in{{{-3, -1.5, -0.5}, {0.5, 1.25, 4}}};
        CHECK(operation_gradient_error(operation, in, difference) <= tolerance);
    };
    check(Activation::relu);
    check(Activation::gelu);
    check(Activation::gelu_tanh);
}

TEST_CASE("gradients: dropout with one mask", "[ch07]") {
    const auto dropout = [](const Inputs& in) { return Dropout{0.4, Random{3}}(in[0]); };
    CHECK(error_of(dropout, {{3, 7}}) <= tolerance);
    CHECK(error_of(dropout, {{1}}) <= tolerance);
}

TEST_CASE("gradients: an encoder of both norm orders with dropout and padding", "[ch07]") {
    if (sizeof(Real) == sizeof(float)) return;  // too few digits for a sum of this depth
    const Tensor mask = padding_mask({{1, 1, 1, 1}, {1, 1, 0, 0}});
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        Random random{72};
        Encoder encoder = random_encoder(random, {2, 6, 2, 9, Activation::gelu, order});
        const Tensor x = normal(random, {2, 4, 6}, 0.0, 1.0);
        const auto loss = [&] {
            Dropout dropout{0.2, Random{5}};
            return weighted_sum(encoder(x, mask, {.dropout = &dropout}));
        };
        for (const GradientError& error : check_gradients(loss, parameters_of(encoder))) {
            INFO(error.name);
            CHECK(error.relative <= 1e-8);  // largest seen: 3.4e-9, of a gradient that is 0
        }
    }
}
