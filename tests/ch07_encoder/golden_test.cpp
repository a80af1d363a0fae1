#include <string>

#include "ch03_masks/masks.hpp"
#include "ch07_encoder/activations.hpp"
#include "ch07_encoder/encoder.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "tests/ch07_encoder/golden_parameters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Golden = std::map<std::string, Tensor>;

Encoder golden_encoder(const Golden& arrays, NormOrder order, Activation activation) {
    Random random{7};
    Encoder encoder = random_encoder(random, {2, 24, 3, 40, activation, order});
    load_parameters(encoder, arrays);
    return encoder;
}

const Tensor everything(Shape{1, 1}, {1});

// The sum of all elements of w y, whose gradients the files hold.
Tensor golden_loss(const Tensor& y, const Tensor& weights) {
    return sum_to(y * weights, {});
}

}  // namespace

TEST_CASE("Encoder: equals PyTorch with norms after and before and with relu and gelu", "[ch07]") {
    const Golden arrays = golden("ch07_encoder");
    const Tensor& x = arrays.at("x");
    const Tensor padding = padding_mask(arrays.at("attention_mask"));
    const double tolerance = by_precision(4e-6, 8e-15);  // largest seen: 9.6e-7, 2e-15
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        for (const Activation activation : {Activation::relu, Activation::gelu}) {
            const Encoder encoder = golden_encoder(arrays, order, activation);
            const std::string name =
                std::string{to_string(order)} + "_" + std::string{to_string(activation)};
            check_close(name, encoder(x, padding), arrays.at(name + "_output"), tolerance);
            check_close(name + " plain", encoder(x, everything), arrays.at(name + "_plain_output"),
                        tolerance);
        }
    }
}

TEST_CASE("Encoder: gradients of the input and of every parameter equal PyTorch", "[ch07]") {
    const Golden arrays = golden("ch07_encoder");
    Encoder encoder = golden_encoder(arrays, NormOrder::pre, Activation::gelu);
    Tensor x = arrays.at("x");
    track_parameters(encoder);
    track(x);
    const Tensor y = encoder(x, padding_mask(arrays.at("attention_mask")));
    const Gradients gradients = backward(golden_loss(y, arrays.at("loss_weights")));
    const double tolerance = by_precision(1.2e-5, 4e-14);  // largest seen: 3e-6, 9e-15
    check_gradients_of(encoder, gradients, arrays, tolerance);
    check_close("gradient of x", gradients.of(x), arrays.at("gradient.x"), tolerance);
}

TEST_CASE("LayerNorm: outputs and gradients equal PyTorch", "[ch07]") {
    const Golden arrays = golden("ch07_layer_norm");
    const Tensor& all = arrays.at("x");
    // Largest errors seen: 0 in float, to which both round; 3.5e-13 in double, for rows near 1000
    // and gradients near 1000. In float a last digit is 1.2e-4 there.
    const double tolerance = by_precision(5e-4, 1.5e-12);
    struct Case {
        double epsilon;
        std::string prefix;
        std::size_t count;
    };
    for (const Case& c : {Case{1e-5, "", 4}, Case{1e-12, "small_epsilon_", 3}}) {
        const std::string& prefix = c.prefix;
        LayerNorm layer{arrays.at("weight"), arrays.at("bias"), c.epsilon};
        Tensor x = slice(all, 0, 0, c.count);
        track_parameters(layer);
        track(x);
        const Tensor y = layer(x);
        check_close(prefix + "output", y, arrays.at(prefix + "output"),
                    by_precision(1e-6, 1e-12));  // seen: 0, 2.5e-13
        const Tensor loss_weights = slice(arrays.at("loss_weights"), 0, 0, c.count);
        const Gradients gradients = backward(golden_loss(y, loss_weights));
        const auto check = [&](const std::string& name, const Tensor& parameter) {
            check_close(prefix + "gradient." + name, gradients.of(parameter),
                        arrays.at(prefix + "gradient." + name), tolerance);
        };
        check("x", x);
        check("weight", layer.weight);
        check("bias", layer.bias);
    }
}

TEST_CASE("activate: every activation and its slope equal PyTorch", "[ch07]") {
    const Golden arrays = golden("ch07_activations");
    // Largest errors seen: 0 in float, 4.5e-16 in double.
    const double tolerance = by_precision(5e-7, 2e-15);
    for (const Activation activation :
         {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
        const std::string name{to_string(activation)};
        Tensor x = arrays.at("x");
        track(x);
        const Tensor y = activate(activation, x);
        check_close(name, y, arrays.at(name), tolerance);
        const Tensor slope = backward(sum_to(y, {})).of(x);
        check_close(name + " slope", slope, arrays.at(name + "_slope"), tolerance);
    }
}
