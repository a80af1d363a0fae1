#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch04_multi_head/ablation.hpp"
#include "ch04_multi_head/examples.hpp"
#include "ch04_multi_head/mistakes.hpp"
#include "ch04_multi_head/multi_head.hpp"
#include "ch04_multi_head/separate_heads.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

// Random weights and biases: query and output 12 wide, what is attended to 7.
MultiHeadAttention layer_with_biases(std::size_t num_heads) {
    Random random{40};
    MultiHeadAttention layer{random_linear(random, 12, 12, 0.4), random_linear(random, 7, 12, 0.4),
                             random_linear(random, 7, 12, 0.4), random_linear(random, 12, 12, 0.4),
                             num_heads};
    for_each_parameter(layer, [&random](const std::string& name, Tensor& parameter) {
        if (name.ends_with("bias")) parameter = normal(random, parameter.shape(), 0.0, 1.0);
    });
    return layer;
}

struct Inputs {
    Tensor x;  // (3, 4, 12)
    Tensor y;  // (3, 5, 7)
};

Inputs random_inputs() {
    Random random{41};
    return {normal(random, {3, 4, 12}, 0.0, 1.0), normal(random, {3, 5, 7}, 0.0, 1.0)};
}

const Tensor padding = padding_mask({{1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, {0, 1, 1, 1, 0}});

// Any (T, S) mask that leaves every query something.
const Tensor staircase{{1, 0, 0, 0, 1}, {1, 1, 0, 0, 0}, {1, 1, 1, 0, 0}, {0, 1, 1, 1, 0}};

// Largest errors seen: 4.8e-7 at values near 3 (float), 1.1e-15 (double).
const double tolerance = by_precision(2e-6, 5e-15);

}  // namespace

TEST_CASE("merge_heads: undoes split_heads for every number of heads", "[ch04]") {
    const Tensor x = random_inputs().x;
    for (const std::size_t num_heads : {1U, 2U, 3U, 4U, 6U, 12U})
        CHECK(merge_heads(split_heads(x, num_heads)) == x);
}

TEST_CASE("split_without_transpose: its round trip is perfect and its heads are wrong", "[ch04]") {
    const Tensor x = random_inputs().x;
    CHECK(merge_without_transpose(split_without_transpose(x, 3)) == x);
    CHECK_FALSE(split_without_transpose(x, 3) == split_heads(x, 3));
}

TEST_CASE("SeparateHeads: equals the one projection that is split", "[ch04]") {
    const auto [x, y] = random_inputs();
    for (const std::size_t num_heads : {1U, 2U, 3U, 12U}) {
        const MultiHeadAttention layer = layer_with_biases(num_heads);
        const SeparateHeads separate = cut_into_heads(layer);
        for (const Tensor& mask :
             {Tensor(Shape{1, 1}, {1}), staircase, padding, combine_masks(staircase, padding)}) {
            const Attention expected = separate(x, y, mask);
            const Attention actual = layer(x, y, mask);
            check_close("output", actual.output, expected.output, tolerance);
            check_close("weights", actual.weights, expected.weights, tolerance);
        }
    }
}

TEST_CASE("SeparateHeads: equals the one projection without biases", "[ch04]") {
    const auto [x, y] = random_inputs();
    MultiHeadAttention layer = layer_with_biases(3);
    for (Linear* part : {&layer.query, &layer.key, &layer.value, &layer.output})
        part->bias = Tensor();
    CHECK(parameter_count(layer) == 2 * 12 * 12 + 2 * 12 * 7);
    check_close("output", layer(x, y, padding).output, cut_into_heads(layer)(x, y, padding).output,
                tolerance);
}

TEST_CASE("MultiHeadAttention: one head is the attention of chapter 2", "[ch04]") {
    const auto [x, y] = random_inputs();
    const MultiHeadAttention layer = layer_with_biases(1);
    const Attention expected = attention(layer.query(x), layer.key(y), layer.value(y));
    const Attention actual = layer(x, y);
    check_close("weights", actual.weights.reshaped({3, 4, 5}), expected.weights, tolerance);
    check_close("output", actual.output, layer.output(expected.output), tolerance);
}

TEST_CASE("MultiHeadAttention: without a mask it is as with one that hides nothing", "[ch04]") {
    const auto [x, y] = random_inputs();
    const MultiHeadAttention layer = layer_with_biases(3);
    const Attention expected = layer(x, y, broadcast_to(Tensor(Shape{1, 1}, {1}), {4, 5}));
    CHECK(layer(x, y).output == expected.output);
    CHECK(layer(x, y).weights == expected.weights);
}

TEST_CASE("MultiHeadAttention: each row of weights sums to 1 and hidden keys get 0", "[ch04]") {
    const auto [x, y] = random_inputs();
    const Attention result = layer_with_biases(3)(x, y, combine_masks(staircase, padding));
    // Query 0 of example 2 sees nothing: keys 0 and 4 are padding there.
    const Tensor sums = sum(result.weights, -1);
    for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t h = 0; h < 3; ++h) {
            for (std::size_t t = 0; t < 4; ++t) {
                const double expected = b == 2 && t == 0 ? 0.0 : 1.0;
                CHECK_THAT(sums(b, h, t), WithinAbs(expected, by_precision(5e-7, 1e-15)));
                for (std::size_t s = 0; s < 5; ++s) {
                    if (staircase(t, s) * padding(b, 0, s) == 0)
                        CHECK(result.weights(b, h, t, s) == 0);
                }
            }
        }
    }
}

TEST_CASE("MultiHeadAttention: where all is hidden the output is the bias of W_O", "[ch04]") {
    const auto [x, y] = random_inputs();
    const MultiHeadAttention layer = layer_with_biases(3);
    const Attention result =
        layer(x, y, padding_mask({{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}}));
    for (std::size_t t = 0; t < 4; ++t) {
        for (std::size_t d = 0; d < 12; ++d)
            CHECK(result.output(1, t, d) == layer.output.bias(d));
        for (std::size_t h = 0; h < 3; ++h) {
            for (std::size_t s = 0; s < 5; ++s)
                CHECK(result.weights(1, h, t, s) == 0);
            CHECK(result.weights(2, h, t, 0) == 1);
        }
    }
}

TEST_CASE("MultiHeadAttention: a sequence of one gives all weight to itself", "[ch04]") {
    const MultiHeadAttention layer = sentence_example(3).layer;
    const Tensor x = slice(sentence_example(3).x, 1, 2, 3);
    const Attention result = layer(x, x);
    CHECK(result.weights == Tensor(Shape{1, 3, 1, 1}, {1, 1, 1}));
    check_close("output", result.output, layer.output(layer.value(x)), tolerance);
}

TEST_CASE("MultiHeadAttention: examples of a batch do not see each other", "[ch04]") {
    const auto [x, y] = random_inputs();
    const MultiHeadAttention layer = layer_with_biases(4);
    const Tensor together = layer(x, y, padding).output;
    for (std::size_t b = 0; b < 3; ++b) {
        const auto one = [b](const Tensor& all) { return slice(all, 0, b, b + 1); };
        check_close("example", one(together), layer(one(x), one(y), one(padding)).output,
                    tolerance);
    }
}

TEST_CASE("MultiHeadAttention: the output of one head depends on its own columns alone", "[ch04]") {
    const auto [x, y] = random_inputs();
    MultiHeadAttention layer = layer_with_biases(3);
    const Tensor before = layer(x, y).weights;
    for (std::size_t r = 4; r < 8; ++r) {  // the rows of W_Q that make the queries of head 1
        for (Real& entry : layer.query.weight.mutable_row(r))
            entry *= 2;
    }
    const Tensor after = layer(x, y).weights;
    const auto head = [](const Tensor& weights, std::size_t h) {
        return slice(weights, 1, h, h + 1);
    };
    CHECK(head(after, 0) == head(before, 0));
    CHECK_FALSE(head(after, 1) == head(before, 1));
    CHECK(head(after, 2) == head(before, 2));
}

TEST_CASE("without_head: what the heads say adds up to the output", "[ch04]") {
    const auto [x, y] = random_inputs();
    const MultiHeadAttention layer = layer_with_biases(3);
    const Tensor whole = layer(x, y).output;
    Tensor total = broadcast_to(layer.output.bias, whole.shape());
    for (std::size_t h = 0; h < 3; ++h)
        total = total + (whole - without_head(layer, h)(x, y).output);
    check_close("sum", total, whole, by_precision(4e-6, 1e-14));
    CHECK(layer.output.weight == layer_with_biases(3).output.weight);
}

TEST_CASE("parameter_count: it does not depend on the number of heads", "[ch04]") {
    for (const std::size_t num_heads : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 24U})
        CHECK(parameter_count(sentence_example(num_heads).layer) == 4 * (24 * 24 + 24));
    CHECK(parameter_count(Linear{.weight = Tensor(Shape{3, 5}), .bias = {}}) == 15);
}

TEST_CASE("for_each_parameter: names and order", "[ch04]") {
    std::vector<std::string> names;
    MultiHeadAttention layer = by_hand_layer();
    layer.key.bias = Tensor{0, 0};
    const MultiHeadAttention& constant = layer;
    for_each_parameter(constant,
                       [&names](const std::string& name, const Tensor&) { names.push_back(name); });
    CHECK(names == std::vector<std::string>{"query.weight", "key.weight", "key.bias",
                                            "value.weight", "output.weight"});
}

TEST_CASE("random_multi_head: four different matrices of the spread and biases of zero", "[ch04]") {
    Random random{44};
    const MultiHeadAttention layer = random_multi_head(random, 64, 4, 0.5);
    CHECK(layer.num_heads == 4);
    const Linear* const parts[] = {&layer.query, &layer.key, &layer.value, &layer.output};
    for (const Linear* part : parts) {
        CHECK(part->bias == Tensor(Shape{64}));
        REQUIRE(part->weight.shape() == Shape{64, 64});
        const Tensor flat = part->weight.reshaped({64 * 64});
        // Seen: at most 0.011 off; four standard errors of 0.5 / sqrt(2 * 4096).
        CHECK_THAT(std::sqrt(mean(flat * flat, 0)()), WithinAbs(0.5, 0.022));
        CHECK(std::count_if(std::begin(parts), std::end(parts), [part](const Linear* other) {
                  return other->weight == part->weight;
              }) == 1);
    }
    const Linear tall = random_linear(random, 3, 5, 1.0);
    CHECK(tall.weight.shape() == Shape{5, 3});
    CHECK(tall.bias.shape() == Shape{5});
}

TEST_CASE("sentence_example: the numbers are the same for every number of heads", "[ch04]") {
    const SentenceExample three = sentence_example(3);
    const SentenceExample eight = sentence_example(8);
    CHECK(three.x == eight.x);
    CHECK(three.layer.value.weight == eight.layer.value.weight);
    CHECK(three.mask == causal_mask(6));
    CHECK(three.words.size() == 6);
    CHECK(eight.layer.num_heads == 8);
}
