#include <string>

#include "ch03_masks/masks.hpp"
#include "ch04_multi_head/multi_head.hpp"
#include "ch04_multi_head/separate_heads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Golden = std::map<std::string, Tensor>;

// Largest errors seen: 6e-7 (float, at values up to 2.8), 1.1e-15 (double).
const double tolerance = by_precision(1e-6, 1e-14);

MultiHeadAttention layer_of(const Golden& arrays, std::size_t num_heads) {
    const auto part = [&arrays](const std::string& name) {
        return Linear{arrays.at(name + "_weight"), arrays.at(name + "_bias")};
    };
    return {part("query"), part("key"), part("value"), part("output"), num_heads};
}

void check_case(const Golden& arrays, const std::string& name, const Attention& actual) {
    check_close(name + " output", actual.output, arrays.at(name + "_output"), tolerance);
    check_close(name + " weights", actual.weights, arrays.at(name + "_weights"), tolerance);
}

void check_self_attention(const Golden& arrays, std::size_t num_heads) {
    const MultiHeadAttention layer = layer_of(arrays, num_heads);
    const Tensor& x = arrays.at("x");
    const Tensor causal = causal_mask(x.dim(1));
    const Tensor padding = padding_mask(arrays.at("attention_mask"));
    check_case(arrays, "plain", layer(x, x));
    check_case(arrays, "causal", layer(x, x, causal));
    check_case(arrays, "padding", layer(x, x, padding));
    check_case(arrays, "both", layer(x, x, combine_masks(causal, padding)));
    check_case(arrays, "both", cut_into_heads(layer)(x, x, combine_masks(causal, padding)));
}

}  // namespace

TEST_CASE("MultiHeadAttention: self-attention with 3 heads equals PyTorch", "[ch04]") {
    check_self_attention(golden("ch04_self_attention"), 3);
}

TEST_CASE("MultiHeadAttention: self-attention with 8 heads equals PyTorch", "[ch04]") {
    check_self_attention(golden("ch04_eight_heads"), 8);
}

TEST_CASE("MultiHeadAttention: cross-attention to another length and width equals PyTorch",
          "[ch04]") {
    const Golden arrays = golden("ch04_cross_attention");
    const MultiHeadAttention layer = layer_of(arrays, 3);
    const Tensor& x = arrays.at("x");
    const Tensor& y = arrays.at("y");
    REQUIRE(x.dim(1) != y.dim(1));
    REQUIRE(x.dim(2) != y.dim(2));
    check_case(arrays, "plain", layer(x, y));
    check_case(arrays, "padding", layer(x, y, padding_mask(arrays.at("attention_mask"))));
}
