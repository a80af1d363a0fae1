#include "ch17_attention_maps/rollout.hpp"

#include <cmath>

#include "ch17_attention_maps/examples.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("with_residual: half of the mean over heads and half of the token itself", "[ch17]") {
    const Tensor weights(Shape{1, 2, 2, 2}, {1, 0, 0.5, 0.5, 0, 1, 0.5, 0.5});
    // Means: [0.5 0.5], [0.5 0.5].
    CHECK(with_residual(weights) == Tensor(Shape{1, 2, 2}, {0.75, 0.25, 0.25, 0.75}));
    // A row without weight, as of a query that may see nothing, stays itself.
    CHECK(with_residual(Tensor(Shape{1, 1, 2, 2}, {0, 0, 1, 0})) ==
          Tensor(Shape{1, 2, 2}, {1, 0, 0.5, 0.5}));
}

TEST_CASE("rollout: two layers worked by hand", "[ch17]") {
    const AttentionDump maps = quarter_maps();
    const Tensor steps = rollout_by_layer(maps.attentions);
    REQUIRE(steps.shape() == Shape{2, 1, 4, 4});
    const Tensor first{{1, 0, 0, 0}, {0.5, 0.5, 0, 0}, {0, 0.5, 0.5, 0}, {0, 0, 0.5, 0.5}};
    CHECK(slice(steps, 0, 0, 1).reshaped({4, 4}) == first);
    // Layer 1 mixed: [5 1 1 1]/8, [1 5 1 1]/8, [2 0 4 2]/8, [0 0 0 8]/8, times
    // `first`.
    const Tensor second{{5.5 / 8, 1.0 / 8, 1.0 / 8, 0.5 / 8},
                        {3.5 / 8, 3.0 / 8, 1.0 / 8, 0.5 / 8},
                        {2.0 / 8, 2.0 / 8, 3.0 / 8, 1.0 / 8},
                        {0, 0, 0.5, 0.5}};
    CHECK(rollout(maps).reshaped({4, 4}) == second);
    CHECK(slice(steps, 0, 1, 2).reshaped({4, 4}) == second);
}

TEST_CASE("rollout: equals numpy", "[ch17]") {
    const auto expected = golden("attention_maps");
    const Tensor steps = rollout_by_layer(expected.at("attentions"));
    // Largest errors seen: 6e-8 (float), 0 (double; another order of sums gives 1.1e-16).
    check_close("rollout", steps, expected.at("rollout"), by_precision(2.4e-7, 9e-16));
    const Tensor last = slice(expected.at("rollout"), 0, 2, 3).reshaped({3, 7, 7});
    check_close("last", rollout(expected.at("attentions")), last, by_precision(2.4e-7, 9e-16));
}

TEST_CASE("rollout: rows sum to 1 and padding has no share", "[ch17]") {
    const Tensor shares = rollout(golden("attention_maps").at("attentions"));
    const Tensor sums = sum(shares, -1);
    for (const Real total : sums.values())
        CHECK_THAT(static_cast<double>(total), WithinAbs(1.0, 1e-6));  // seen: 1.8e-7
    for (std::size_t t = 0; t < 5; ++t) {
        CHECK(shares(1, t, 5) == 0);
        CHECK(shares(1, t, 6) == 0);
    }
}

TEST_CASE("rollout: heads that look at themselves change nothing", "[ch17]") {
    Tensor maps(Shape{3, 1, 2, 3, 3});
    for (std::size_t r = 0; r < maps.num_rows(); ++r)
        maps.mutable_row(r)[r % 3] = 1;
    const Tensor identity{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CHECK(rollout(maps).reshaped({3, 3}) == identity);
}

TEST_CASE("rollout: the order of layers matters and that of heads does not", "[ch17]") {
    const Tensor maps = golden("attention_maps").at("attentions");
    const auto part = [&](int axis, std::size_t i) { return slice(maps, axis, i, i + 1); };
    const Tensor turned = concat({part(0, 2), part(0, 1), part(0, 0)}, 0);
    CHECK(max_error(rollout(turned), rollout(maps)) > 0.01);
    const Tensor mixed = concat({part(2, 3), part(2, 0), part(2, 2), part(2, 1)}, 2);
    CHECK(max_error(rollout(mixed), rollout(maps)) <= by_precision(2.4e-7, 9e-16));
}

TEST_CASE("rollout: shapes and layers that do not fit are refused", "[ch17]") {
    CHECK_THROWS_AS(with_residual(Tensor(Shape{1, 1, 2, 3})), ShapeError);
    CHECK_THROWS_AS(with_residual(Tensor(Shape{1, 2, 2})), ShapeError);
    CHECK_THROWS_WITH(
        rollout(Tensor(Shape{1, 1, 2, 2})),
        ContainsSubstring("rollout: attentions (1, 1, 2, 2) (expected (L, B, H, T, T)"));
    CHECK_THROWS_AS(rollout(Tensor(Shape{1, 1, 1, 2, 3})), ShapeError);
    CHECK_THROWS_AS(rollout(Tensor(Shape{1, 1, 0, 2, 2})), ShapeError);
    AttentionDump dump = quarter_maps();
    dump.layers = {0, 2};
    CHECK_THROWS_WITH(rollout(dump), ContainsSubstring("layer 2 follows layer 0"));
    dump.layers = {1, 0};
    CHECK_THROWS_AS(rollout(dump), ShapeError);
    dump.layers = {4, 5};
    CHECK_THROWS_WITH(rollout(dump), ContainsSubstring("layer 4"));
    dump.layers = {0, 1};
    CHECK_NOTHROW(rollout(dump));
    dump.source_tokens = {{"a", "b", "c", "d"}};
    CHECK_THROWS_WITH(rollout(dump), ContainsSubstring("no self-attention"));
    // A decoder's sources are its targets, shifted.
    dump = quarter_maps();
    dump.attentions = Tensor(Shape{1, 1, 1, 2, 2}, {1, 0, 0.5, 0.5});
    dump.layers = {0};
    dump.tokens = {{"a", "b"}};
    dump.source_tokens = {{"<start>", "a"}};
    dump.mask = AttentionMask::causal;
    CHECK(rollout(dump) == Tensor(Shape{1, 2, 2}, {1, 0, 0.25, 0.75}));
    dump.attentions(0, 0, 0, 0, 0) = Real{0.5};
    CHECK_THROWS_AS(rollout(dump), NumericError);
}
