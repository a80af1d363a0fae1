#include <cmath>

#include "ch03_masks/masks.hpp"
#include "ch04_multi_head/ablation.hpp"
#include "ch04_multi_head/examples.hpp"
#include "ch04_multi_head/mistakes.hpp"
#include "ch04_multi_head/multi_head.hpp"
#include "ch04_multi_head/separate_heads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

// Largest errors seen: 9.6e-7 at 10 (float), 1.8e-15 (double).
const double tolerance = by_precision(4e-6, 1e-14);

// b * 100 + t * 10 + d, so that a number tells where it came from.
Tensor numbered(std::size_t batch, std::size_t length, std::size_t width) {
    Tensor x(Shape{batch, length, width});
    for (std::size_t b = 0; b < batch; ++b) {
        for (std::size_t t = 0; t < length; ++t) {
            for (std::size_t d = 0; d < width; ++d)
                x(b, t, d) = static_cast<Real>(b * 100 + t * 10 + d);
        }
    }
    return x;
}

}  // namespace

TEST_CASE("Linear: worked by hand with and without a bias", "[ch04]") {
    const Linear layer{.weight = {{1, 2, 3}, {0, -1, 4}}, .bias = Tensor{10, 20}};  // (out 2, in 3)
    const Tensor x{{1, 0, 2}, {-1, 1, 1}};
    CHECK(layer(x) == Tensor{{17, 28}, {14, 23}});
    CHECK(Linear{.weight = layer.weight, .bias = {}}(x) == Tensor{{7, 8}, {4, 3}});
}

TEST_CASE("split_heads: head h holds columns h K to (h + 1) K of every position", "[ch04]") {
    const Tensor heads = split_heads(numbered(2, 3, 8), 4);
    REQUIRE(heads.shape() == Shape{2, 4, 3, 2});
    for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t h = 0; h < 4; ++h) {
            for (std::size_t t = 0; t < 3; ++t) {
                for (std::size_t k = 0; k < 2; ++k)
                    CHECK(heads(b, h, t, k) == static_cast<Real>(b * 100 + t * 10 + h * 2 + k));
            }
        }
    }
}

TEST_CASE("merge_heads: heads lie side by side at each position", "[ch04]") {
    // (1, H 2, T 2, K 3); the tens digit is the position.
    const Tensor heads(Shape{1, 2, 2, 3}, {0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15});
    CHECK(merge_heads(heads) == numbered(1, 2, 6));
}

TEST_CASE("MultiHeadAttention: two heads worked by hand", "[ch04]") {
    // Head 1 scores ln 2 times the first entries, head 2 ln 3 times the second ones. Weights are
    // 2/5 1/5 2/5 and 1/7 3/7 3/7, or 1/3 each where the query is 0; K = 1, so the scale is 1.
    const auto [output, weights] = by_hand_layer()(by_hand_input(), by_hand_input());
    const double third = 1.0 / 3;
    const double expected_weights[2][3][3] = {
        {{0.4, 0.2, 0.4}, {third, third, third}, {0.4, 0.2, 0.4}},
        {{third, third, third}, {1.0 / 7, 3.0 / 7, 3.0 / 7}, {1.0 / 7, 3.0 / 7, 3.0 / 7}}};
    REQUIRE(weights.shape() == Shape{1, 2, 3, 3});
    for (std::size_t h = 0; h < 2; ++h) {
        for (std::size_t t = 0; t < 3; ++t) {
            for (std::size_t s = 0; s < 3; ++s)
                CHECK_THAT(weights(0, h, t, s), WithinAbs(expected_weights[h][t][s], tolerance));
        }
    }
    // z_1 = 5 (w[0] + w[2]): 4, 10/3, 4;  z_2 = 7 (w[1] + w[2]): 14/3, 6, 6;
    // output = z_1 + z_2, 2 z_1 - z_2.
    const double z[3][2] = {{4, 14.0 / 3}, {10.0 / 3, 6}, {4, 6}};
    for (std::size_t t = 0; t < 3; ++t) {
        CHECK_THAT(output(0, t, 0), WithinAbs(z[t][0] + z[t][1], tolerance));
        CHECK_THAT(output(0, t, 1), WithinAbs(2 * z[t][0] - z[t][1], tolerance));
    }
}

TEST_CASE("mask_for_heads: a batch of masks gets a dimension that the heads repeat", "[ch04]") {
    const Tensor mask = numbered(3, 2, 4);
    CHECK(mask_for_heads(mask).shape() == Shape{3, 1, 2, 4});
    CHECK(mask_for_heads(mask).reshaped({3, 2, 4}) == mask);
    CHECK(mask_for_heads(Tensor(Shape{3, 1, 4})).shape() == Shape{3, 1, 1, 4});
    CHECK(mask_for_heads(Tensor{{1, 0}, {1, 1}}) == Tensor{{1, 0}, {1, 1}});
}

TEST_CASE("output_with: each mistake gives its own numbers", "[ch04]") {
    const Tensor x = by_hand_input();
    const MultiHeadAttention layer = by_hand_layer();
    CHECK(output_with(Mistake::none, layer, x) == layer(x, x).output);
    // Rows of the merged z that has z_1 = 4 10/3 4 in a row and then z_2 = 14/3 6 6.
    check_close("merge", output_with(Mistake::merge_without_transpose, layer, x),
                {{{22.0 / 3, 14.0 / 3}, {26.0 / 3, 10.0 / 3}, {12, 6}}}, tolerance);
    check_close("no W_O", output_with(Mistake::no_output, layer, x),
                {{{4, 14.0 / 3}, {10.0 / 3, 6}, {4, 6}}}, tolerance);
    // Flat, Q is 1 0 0 1 1 1: "head" 1 has queries 1 0 0, keys ln 2 0 0, values 5 0 0; "head" 2
    // queries 1 1 1, keys ln 3 ln 2 ln 3, values 7 5 7. Its weights are 3/8 2/8 3/8: z_2 = 6.5.
    // Back in a row: (2.5, 5/3), (5/3, 6.5), (6.5, 6.5).
    check_close("merge and split", merge_without_transpose(split_without_transpose(x, 2)), x, 0);
    // With the right merge: (z_1, z_2) = (2.5, 6.5), (5/3, 6.5), (5/3, 6.5).
    const double third = 5.0 / 3;
    check_close("split", output_with(Mistake::split_without_transpose, layer, x),
                {{{9, -1.5}, {third + 6.5, 2 * third - 6.5}, {third + 6.5, 2 * third - 6.5}}},
                tolerance);
    // Divided by sqrt(2): 2 and 3 become 2^0.7071 and 3^0.7071.
    const double two = std::pow(2.0, std::sqrt(0.5));
    const double three = std::pow(3.0, std::sqrt(0.5));
    const double z1 = 5 * 2 * two / (2 * two + 1);
    const double z2 = 7 * 2 * three / (2 * three + 1);
    check_close("scale", output_with(Mistake::scale_by_width, layer, x),
                {{{z1 + 14.0 / 3, 2 * z1 - 14.0 / 3},
                  {10.0 / 3 + z2, 20.0 / 3 - z2},
                  {z1 + z2, 2 * z1 - z2}}},
                tolerance);
}

TEST_CASE("changes_without_heads: worked by hand", "[ch04]") {
    // Without head 1 the outputs lose z_1 and 2 z_1, without head 2 they lose z_2 and -z_2.
    const std::vector<double> changes =
        changes_without_heads(by_hand_layer(), by_hand_input(), Tensor(Shape{1, 1}, {1}));
    REQUIRE(changes.size() == 2);
    CHECK_THAT(changes[0], WithinAbs((4 + 10.0 / 3 + 4) * 3 / 6, tolerance));
    CHECK_THAT(changes[1], WithinAbs((14.0 / 3 + 6 + 6) * 2 / 6, tolerance));
    // Under the causal mask z_1 is 5, 5/2, 4 and z_2 is 0, 7 * 3/4, 6.
    const std::vector<double> causal =
        changes_without_heads(by_hand_layer(), by_hand_input(), causal_mask(3));
    CHECK_THAT(causal[0], WithinAbs(5.75, tolerance));
    CHECK_THAT(causal[1], WithinAbs(3.75, tolerance));
}

TEST_CASE("N15: three heads side by side then a linear map to the model width", "[ch04]") {
    const SentenceExample example = sentence_example(3);
    const Tensor split = split_heads(example.layer.query(example.x), 3);
    CHECK(split.shape() == Shape{1, 3, 6, 8});
    const Attention z = attention(split, split, split);
    CHECK(z.output.shape() == Shape{1, 3, 6, 8});
    CHECK(merge_heads(z.output).shape() == Shape{1, 6, 24});
    const Attention result = example.layer(example.x, example.x, example.mask);
    CHECK(result.output.shape() == Shape{1, 6, 24});
    CHECK(result.weights.shape() == Shape{1, 3, 6, 6});
    // As drawn: three matrices a head, W_O from 3 x 8 to 24.
    const SeparateHeads separate = cut_into_heads(example.layer);
    REQUIRE(separate.heads.size() == 3);
    for (const SeparateHead& head : separate.heads) {
        CHECK(head.w_query.shape() == Shape{24, 8});
        CHECK(head.w_key.shape() == Shape{24, 8});
        CHECK(head.w_value.shape() == Shape{24, 8});
    }
    CHECK(separate.w_output.shape() == Shape{24, 24});
}

TEST_CASE("N16: eight heads of width 64 make 512 and W_O keeps 512", "[ch04]") {
    Random random{16};
    const MultiHeadAttention layer = random_multi_head(random, 512, 8, 0.02);
    const Tensor x = normal(random, {2, 3, 512}, 0.0, 1.0);
    CHECK(split_heads(layer.query(x), 8).shape() == Shape{2, 8, 3, 64});
    CHECK(cut_into_heads(layer).heads[7].w_query.shape() == Shape{512, 64});
    CHECK(layer.output.weight.shape() == Shape{512, 8 * 64});
    const Attention result = layer(x, x);
    CHECK(result.output.shape() == Shape{2, 3, 512});
    CHECK(result.weights.shape() == Shape{2, 8, 3, 3});
    // Four matrices with a bias each; the number of heads is not in it.
    CHECK(parameter_count(layer) == 4 * (512 * 512 + 512));
    CHECK(parameter_count(layer) == 1050624);
}
