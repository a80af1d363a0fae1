#include <limits>

#include "ch03_masks/masks.hpp"
#include "ch04_multi_head/ablation.hpp"
#include "ch04_multi_head/examples.hpp"
#include "ch04_multi_head/mistakes.hpp"
#include "ch04_multi_head/multi_head.hpp"
#include "ch04_multi_head/separate_heads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;

namespace {

MultiHeadAttention zero_layer(std::size_t width, std::size_t source_width, std::size_t num_heads) {
    const auto linear = [](std::size_t in, std::size_t out) {
        return Linear{Tensor(Shape{out, in}), Tensor(Shape{out})};
    };
    return {linear(width, width), linear(source_width, width), linear(source_width, width),
            linear(width, width), num_heads};
}

const Tensor everything(Shape{1, 1}, {1});

}  // namespace

TEST_CASE("Linear: what does not fit is refused", "[ch04]") {
    const Linear layer{.weight = Tensor(Shape{2, 3}), .bias = Tensor(Shape{2})};
    CHECK_THROWS_WITH(layer(Tensor(Shape{4, 5})),
                      ContainsSubstring("Linear: x (4, 5)") && ContainsSubstring("weight (2, 3)"));
    CHECK_THROWS_AS(layer(Tensor(Shape{4, 2})), ShapeError);
    CHECK_THROWS_WITH(layer(Tensor(Shape{3})), ContainsSubstring("Linear: x (3)"));
    CHECK_THROWS_AS(layer(Tensor(Shape{})), ShapeError);
    CHECK(layer(Tensor(Shape{7, 6, 5, 3})).shape() == Shape{7, 6, 5, 2});
    // Each of these would broadcast.
    CHECK_THROWS_AS((Linear{layer.weight, Tensor{1}}(Tensor(Shape{4, 3}))), ShapeError);
    CHECK_THROWS_AS((Linear{layer.weight, Tensor(Shape{4, 2})}(Tensor(Shape{4, 3}))), ShapeError);
    CHECK_THROWS_WITH((Linear{Tensor(Shape{2, 3, 3}), {}}(Tensor(Shape{2, 4, 3}))),
                      ContainsSubstring("(2, 3, 3)") && ContainsSubstring("(out, in)"));
    CHECK_THROWS_AS((Linear{Tensor(Shape{}), Tensor{1}}(Tensor(Shape{4, 3}))), ShapeError);
    CHECK_THROWS_AS((Linear{Tensor(Shape{3}), {}}(Tensor(Shape{4, 3}))), ShapeError);
}

TEST_CASE("split_heads: heads that do not divide the width are refused with letters", "[ch04]") {
    const Tensor x(Shape{2, 3, 10});
    CHECK_THROWS_AS(split_heads(x, 3), ShapeError);
    CHECK_THROWS_WITH(split_heads(x, 3),
                      ContainsSubstring("(B=2, T=3, D=10)") && ContainsSubstring("H=3"));
    CHECK_THROWS_AS(split_heads(x, 0), ShapeError);
    CHECK_THROWS_AS(split_heads(x, 20), ShapeError);
    CHECK_THROWS_AS(split_heads(Tensor(Shape{3, 10}), 2), ShapeError);
    CHECK_THROWS_AS(split_heads(Tensor(Shape{}), 1), ShapeError);
}

TEST_CASE("merge_heads: another rank than 4 is refused", "[ch04]") {
    CHECK_THROWS_AS(merge_heads(Tensor(Shape{2, 3, 4})), ShapeError);
    CHECK_THROWS_WITH(merge_heads(Tensor(Shape{2, 3, 4})), ContainsSubstring("(B, H, T, K)"));
    CHECK_THROWS_AS(merge_heads(Tensor(Shape{1, 1, 2, 3, 4})), ShapeError);
}

TEST_CASE("mask_for_heads: another rank than 2 or 3 is refused", "[ch04]") {
    CHECK_THROWS_WITH(mask_for_heads(Tensor{1, 1}), ContainsSubstring("mask_for_heads: mask (2)"));
    CHECK_THROWS_AS(mask_for_heads(Tensor(Shape{1, 1, 2, 2})), ShapeError);
}

TEST_CASE("MultiHeadAttention: what does not fit is refused", "[ch04]") {
    const MultiHeadAttention layer = zero_layer(6, 4, 3);
    const Tensor x(Shape{2, 3, 6});
    const Tensor y(Shape{2, 5, 4});
    REQUIRE_NOTHROW(layer(x, y));
    CHECK_THROWS_WITH(layer(x, Tensor(Shape{3, 5, 4})),
                      ContainsSubstring("(B=2, T=3, D=6)") && ContainsSubstring("(B=3, S=5, D=4)"));
    CHECK_THROWS_AS(layer(x, Tensor(Shape{1, 5, 4})), ShapeError);
    CHECK_THROWS_WITH(layer(x, Tensor(Shape{2, 4})), ContainsSubstring("MultiHeadAttention"));
    CHECK_THROWS_WITH(layer(Tensor(Shape{2, 6}), y), ContainsSubstring("MultiHeadAttention"));
    CHECK_THROWS_AS(layer(x, x), ShapeError);
    CHECK_THROWS_AS(layer(y, y), ShapeError);
    CHECK_THROWS_AS(layer(Tensor(Shape{2, 0, 6}), y), ShapeError);
    CHECK_THROWS_AS(layer(x, Tensor(Shape{2, 0, 4})), ShapeError);
    CHECK_THROWS_AS(zero_layer(6, 4, 4)(x, y), ShapeError);
    CHECK_THROWS_AS(zero_layer(6, 4, 0)(x, y), ShapeError);
    CHECK_THROWS_AS(zero_layer(0, 4, 1)(Tensor(Shape{2, 3, 0}), y), ShapeError);
    MultiHeadAttention uneven = layer;  // keys wider than queries
    uneven.key = {Tensor(Shape{9, 4}), {}};
    CHECK_THROWS_AS(uneven(x, y), ShapeError);
    uneven = layer;  // W_O for other heads
    uneven.output = {Tensor(Shape{6, 9}), {}};
    CHECK_THROWS_AS(uneven(x, y), ShapeError);
}

TEST_CASE("MultiHeadAttention: masks that do not fit are refused", "[ch04]") {
    const MultiHeadAttention layer = zero_layer(6, 6, 3);
    const Tensor x(Shape{2, 4, 6});
    CHECK_THROWS_AS(layer(x, x, causal_mask(3)), ShapeError);
    CHECK_THROWS_AS(layer(x, x, Tensor(Shape{3, 1, 4})), ShapeError);
    CHECK_THROWS_AS(layer(x, x, Tensor(Shape{2, 3, 4, 4})), ShapeError);
    CHECK_THROWS_AS(layer(x, x, Tensor{1, 1, 1, 1}), ShapeError);
    CHECK_THROWS_AS(layer(x, x, Tensor(Shape{1, 1}, {2})), std::invalid_argument);
}

TEST_CASE("MultiHeadAttention: a number that is not finite is told", "[ch04]") {
    const MultiHeadAttention layer = sentence_example(3).layer;
    const Tensor x = sentence_example(3).x;
    for (const Real bad :
         {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
        Tensor broken = x;
        broken(0, 2, 5) = bad;
        CHECK_THROWS_AS(layer(broken, x), NumericError);
        CHECK_THROWS_AS(layer(x, broken), NumericError);
        CHECK_THROWS_AS(layer(broken, broken, causal_mask(6)), NumericError);
        CHECK_THROWS_AS(cut_into_heads(layer)(broken, x, everything), NumericError);
    }
}

TEST_CASE("cut_into_heads: heads that do not divide the widths are refused", "[ch04]") {
    CHECK_THROWS_AS(cut_into_heads(zero_layer(6, 4, 0)), ShapeError);
    CHECK_THROWS_WITH(cut_into_heads(zero_layer(6, 4, 4)),
                      ContainsSubstring("weight (6, 6)") && ContainsSubstring("H=4"));
    MultiHeadAttention layer = zero_layer(6, 4, 3);
    layer.value.weight = Tensor(Shape{6});
    CHECK_THROWS_WITH(cut_into_heads(layer), ContainsSubstring("cut_into_heads: weight (6)"));
    layer = zero_layer(6, 4, 3);
    layer.key.bias = Tensor(Shape{5});
    CHECK_THROWS_AS(cut_into_heads(layer), ShapeError);
    layer.key.bias = Tensor(Shape{6, 1});
    CHECK_THROWS_AS(cut_into_heads(layer), ShapeError);
}

TEST_CASE("SeparateHeads: what does not fit is refused", "[ch04]") {
    const SeparateHeads separate = cut_into_heads(zero_layer(6, 4, 3));
    const Tensor x(Shape{2, 3, 6});
    const Tensor y(Shape{2, 5, 4});
    REQUIRE_NOTHROW(separate(x, y, everything));
    CHECK_THROWS_AS(separate(x, x, everything), ShapeError);
    CHECK_THROWS_AS(separate(x, Tensor(Shape{3, 5, 4}), everything), ShapeError);
    CHECK_THROWS_AS(separate(Tensor(Shape{3, 6}), y, everything), ShapeError);
    CHECK_THROWS_AS(SeparateHeads{}(x, y, everything), ShapeError);
    // Rank 2, of a size that would fit the reshaping.
    const SeparateHeads narrow = cut_into_heads(zero_layer(4, 4, 2));
    CHECK_THROWS_WITH(narrow(Tensor(Shape{3, 4}), Tensor(Shape{4, 4}), Tensor(Shape{3, 4})),
                      ContainsSubstring("SeparateHeads: x (3, 4) and y (4, 4)"));
}

TEST_CASE("random_multi_head: heads that do not divide the width are refused", "[ch04]") {
    Random random{1};
    CHECK_THROWS_AS(random_multi_head(random, 24, 5, 1.0), ShapeError);
    CHECK_THROWS_AS(random_multi_head(random, 24, 0, 1.0), ShapeError);
    CHECK_THROWS_WITH(sentence_example(7), ContainsSubstring("D=24") && ContainsSubstring("H=7"));
}

TEST_CASE("without_head: a head that is not there is refused", "[ch04]") {
    CHECK_THROWS_WITH(without_head(by_hand_layer(), 2), ContainsSubstring("no head 2 of H=2"));
    CHECK_THROWS_AS(without_head(zero_layer(6, 4, 0), 0), ShapeError);
    CHECK_THROWS_AS(without_head(zero_layer(6, 4, 4), 0), ShapeError);
    MultiHeadAttention layer = zero_layer(6, 4, 3);
    layer.output.weight = Tensor(Shape{});
    CHECK_THROWS_WITH(without_head(layer, 0), ContainsSubstring("in W_O ()"));
}

TEST_CASE("output_with: what does not fit is refused", "[ch04]") {
    CHECK_THROWS_AS(split_without_transpose(Tensor(Shape{1, 2, 5}), 2), ShapeError);
    CHECK_THROWS_AS(merge_without_transpose(Tensor(Shape{1, 2, 5})), ShapeError);
    CHECK_THROWS_AS(output_with(Mistake::none, by_hand_layer(), Tensor(Shape{1, 3, 5})),
                    ShapeError);
}

TEST_CASE("ch04: heads that do not divide the width and a folder that is a file", "[ch04]") {
    const auto folder = test::scratch_folder("ch04_refusals");
    const auto refused = [&](const std::string& arguments, int code, const std::string& message) {
        INFO(arguments);
        test::check_refused(test::program(folder, "ch04", arguments), code, message);
    };
    refused("--heads 5", 2, "--heads: found 5, expected a divisor of the width 24");
    for (const char* heads : {"0", "-3", "25", "2.0", "x", "99999999999999999999"}) {
        refused(std::string{"--heads "} + heads, 2, "--heads: not a whole number in range");
    }
    refused("--heads ''", 2, "--heads: empty");
    const test::Outcome out = test::program(folder, "ch04", "--heads 2 --out /dev/null/x");
    CHECK(out.code == 4);
    CHECK_THAT(out.err, ContainsSubstring("error: /dev/null/x"));
    CHECK_THAT(test::program(folder, "ch04", "--heads 4").out,
               ContainsSubstring("head 4, width 6"));
}
