#include <string>

#include "ch03_masks/masks.hpp"
#include "ch08_decoder/decoder.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "tests/ch07_encoder/golden_parameters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Golden = std::map<std::string, Tensor>;

struct Inputs {
    Tensor x;
    Tensor memory;
    Tensor self_mask;
    Tensor memory_mask;
};

Inputs golden_inputs(const Golden& arrays) {
    const Tensor& x = arrays.at("x");
    const Tensor causal = causal_mask(x.dim(1));
    return {x, arrays.at("memory"),
            combine_masks(causal, padding_mask(arrays.at("attention_mask"))),
            padding_mask(arrays.at("memory_attention_mask"))};
}

Decoder golden_decoder(const Golden& arrays, NormOrder order, Activation activation) {
    Random random{8};
    Decoder decoder = random_decoder(random, {2, 24, 3, 40, activation, order});
    load_parameters(decoder, arrays);
    return decoder;
}

}  // namespace

TEST_CASE("Decoder: equals PyTorch with norms after and before and with every mask", "[ch08]") {
    const Golden arrays = golden("ch08_decoder");
    const auto [x, memory, self_mask, memory_mask] = golden_inputs(arrays);
    REQUIRE(x.dim(1) != memory.dim(1));
    const Tensor everything(Shape{1, 1}, {1});
    const double tolerance = by_precision(4e-6, 1e-14);  // largest seen: 9.6e-7, 2.3e-15
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        for (const Activation activation : {Activation::relu, Activation::gelu}) {
            const Decoder decoder = golden_decoder(arrays, order, activation);
            const std::string name =
                std::string{to_string(order)} + "_" + std::string{to_string(activation)};
            check_close(name, decoder(x, memory, self_mask, memory_mask),
                        arrays.at(name + "_output"), tolerance);
            check_close(name + " causal", decoder(x, memory, causal_mask(x.dim(1)), everything),
                        arrays.at(name + "_causal_output"), tolerance);
        }
    }
}

TEST_CASE("Decoder: gradients of inputs and of every parameter equal PyTorch", "[ch08]") {
    const Golden arrays = golden("ch08_decoder");
    Decoder decoder = golden_decoder(arrays, NormOrder::pre, Activation::relu);
    auto [x, memory, self_mask, memory_mask] = golden_inputs(arrays);
    track_parameters(decoder);
    track(x);
    track(memory);
    const Tensor y = decoder(x, memory, self_mask, memory_mask);
    const Gradients gradients = backward(sum_to(y * arrays.at("loss_weights"), {}));
    const double tolerance = by_precision(7e-6, 2.2e-14);  // largest seen: 1.6e-6, 5.4e-15
    check_gradients_of(decoder, gradients, arrays, tolerance);
    check_close("gradient of x", gradients.of(x), arrays.at("gradient.x"), tolerance);
    check_close("gradient of memory", gradients.of(memory), arrays.at("gradient.memory"),
                tolerance);
}
