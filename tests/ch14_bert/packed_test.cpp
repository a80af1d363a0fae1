#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "ch03_masks/masks.hpp"
#include "ch14_bert/packed_encoder.hpp"
#include "ch14_bert/packed_rows.hpp"
#include "ch14_bert/row_functions.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/threads.hpp"

using namespace bert;
using namespace bert::test;
using Catch::Matchers::WithinAbs;

namespace {

constexpr bool is_float = sizeof(Real) == sizeof(float);

Encoder some_encoder(std::size_t width, std::size_t num_heads, std::size_t inner,
                     Activation activation) {
    Random random{3};
    Encoder encoder =
        random_encoder(random, {2, width, num_heads, inner, activation, NormOrder::post});
    for_each_parameter(encoder, [&random](const std::string& name, Tensor& x) {
        if (!name.ends_with("bias")) return;
        x = uniform(random, x.shape(), -0.5, 0.5);
    });
    return encoder;
}

// 1 but for every fifth position, and with gaps that differ between examples.
Tensor mask_with_gaps(std::size_t batch, std::size_t length) {
    Tensor mask(Shape{batch, length});
    for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t t = 0; t < length; ++t)
            mask(b, t) = t == 0 || (t + 7 * b) % 5 != 4 ? 1 : 0;
    return mask;
}

}  // namespace

TEST_CASE("PackedEncoder: equals the encoder of chapter 7", "[ch14]") {
    if constexpr (!is_float) return;
    struct Case {
        std::size_t batch, length, width, num_heads, inner;
        Activation activation;
    };
    const std::vector<Case> cases = {
        {1, 1, 8, 2, 16, Activation::gelu},       {3, 2, 33, 3, 37, Activation::relu},
        {2, 3, 24, 24, 5, Activation::gelu_tanh}, {3, 17, 40, 5, 64, Activation::gelu},
        {2, 70, 16, 1, 33, Activation::gelu},     {5, 66, 32, 4, 70, Activation::relu},
        {2, 150, 24, 3, 40, Activation::gelu},    {2, 5, 560, 7, 130, Activation::gelu},
        {3, 1, 520, 5, 2, Activation::relu}};
    for (const Case& c : cases) {
        const Encoder encoder = some_encoder(c.width, c.num_heads, c.inner, c.activation);
        Random random{5};
        const Tensor x = uniform(random, {c.batch, c.length, c.width}, -2, 2);
        const Tensor mask = mask_with_gaps(c.batch, c.length);
        AttentionRecorder recorder;
        const Tensor expected = encoder(x, padding_mask(mask), {nullptr, &recorder});
        const EncoderRun run =
            PackedEncoder{encoder}(x, mask, {.hidden_states = true, .attentions = true});
        check_close("hidden", run.hidden, expected, 8e-6);
        CHECK(run.hidden_states.back() == run.hidden);
        for (std::size_t l = 0; l < 2; ++l)
            check_close("map", run.attentions[l], recorder.weights[l], 4e-6);
    }
}

TEST_CASE("PackedEncoder: maps have the places of the whole texts without padding too", "[ch14]") {
    if constexpr (!is_float) return;
    const PackedEncoder encoder{some_encoder(16, 2, 20, Activation::gelu)};
    Random random{5};
    const Tensor x = uniform(random, {3, 130, 16}, -2, 2);
    const Tensor mask = mask_with_gaps(3, 130);
    const EncoderRun with = encoder(x, mask, {.attentions = true});
    const EncoderRun without = encoder(x, mask, {.attentions = true, .padding = false});
    for (std::size_t l = 0; l < 2; ++l) {
        Tensor expected = with.attentions[l];
        for (std::size_t r = 0; r < expected.num_rows(); ++r)
            if (mask(r / (2 * 130), r % 130) == Real{0})
                for (Real& weight : expected.mutable_row(r))
                    weight = 0;
        check_close("map", without.attentions[l], expected, 1e-6);
    }
}

TEST_CASE("PackedEncoder: leaves the number of threads as it was", "[ch14]") {
    if constexpr (!is_float) return;
    const PackedEncoder encoder{some_encoder(64, 2, 64, Activation::gelu)};
    const ThreadsGuard threads{3};
    encoder(Tensor(Shape{2, 64, 64}), Tensor(Shape{2, 64}));
    CHECK(omp_get_max_threads() == 3);
}

TEST_CASE("PackedEncoder: gives the same bits for any number of threads", "[ch14]") {
    if constexpr (!is_float) return;
    const PackedEncoder encoder{some_encoder(32, 4, 70, Activation::gelu)};
    Random random{5};
    for (const std::size_t length : {5U, 40U, 170U}) {
        const Tensor x = uniform(random, {3, length, 32}, -2, 2);
        const Tensor mask = mask_with_gaps(3, length);
        const auto run_with = [&](int count, bool padding) {
            const ThreadsGuard threads{count};
            return encoder(x, mask, {.padding = padding}).hidden;
        };
        for (const bool padding : {true, false}) {
            const Tensor one = run_with(1, padding);
            CHECK(run_with(2, padding) == one);
            CHECK(run_with(3, padding) == one);
            CHECK(run_with(7, padding) == one);
        }
    }
}

TEST_CASE("PackedEncoder: an example that is all padding changes no other", "[ch14]") {
    if constexpr (!is_float) return;
    const PackedEncoder encoder{some_encoder(16, 2, 20, Activation::gelu)};
    Random random{5};
    const Tensor x = uniform(random, {3, 4, 16}, -2, 2);
    Tensor mask(Shape{3, 4}, std::vector<Real>(12, 1));
    const Tensor whole = encoder(x, mask).hidden;
    for (std::size_t t = 0; t < 4; ++t)
        mask(1, t) = 0;
    for (const bool padding : {true, false}) {
        const Tensor hidden = encoder(x, mask, {.padding = padding}).hidden;
        for (const std::size_t row : {0U, 3U, 8U, 11U})
            for (std::size_t d = 0; d < 16; ++d)
                CHECK_THAT(hidden.row(row)[d], WithinAbs(whole.row(row)[d], 1e-6));
    }
    for (Real& visible : std::span{mask.mutable_data(), 12})
        visible = 0;
    CHECK(encoder(x, mask, {.padding = false}).hidden == Tensor(x.shape()));
}

TEST_CASE("PackedEncoder: says in which layer a number stops being finite", "[ch14]") {
    if constexpr (!is_float) return;
    Encoder encoder = some_encoder(16, 2, 20, Activation::relu);
    const Tensor mask(Shape{1, 2}, {1, 1});
    Tensor x(Shape{1, 2, 16}, std::vector<Real>(32, 1));
    x(0, 1, 3) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_WITH(PackedEncoder{encoder}(x, mask),
                      Catch::Matchers::ContainsSubstring("encoder layer 0"));
    x(0, 1, 3) = 2;
    // 1e30 squared is more than a float can hold.
    for (Real& weight : std::span{encoder.layers[1].feed_forward.inner.weight.mutable_data(), 320})
        weight = Real(1e30);
    for (Real& weight : std::span{encoder.layers[1].feed_forward.outer.weight.mutable_data(), 320})
        weight = Real(1e30);
    CHECK_THROWS_WITH(PackedEncoder{encoder}(x, mask),
                      Catch::Matchers::ContainsSubstring("encoder layer 1"));
    encoder.layers[1].feed_forward.outer.weight(3, 4) = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_WITH(PackedEncoder{encoder},
                      Catch::Matchers::ContainsSubstring("encoder layer 1: weight"));
}

TEST_CASE("PackedEncoder: names the layer of a score or weight that is not finite", "[ch14]") {
    if constexpr (!is_float) return;
    const Encoder encoder = some_encoder(16, 2, 20, Activation::relu);
    const Real infinity = std::numeric_limits<Real>::infinity();
    Encoder big = encoder;  // a score of 1e40 or -1e40
    for (Linear* const part :
         {&big.layers[1].self_attention.query, &big.layers[1].self_attention.key})
        std::ranges::fill(std::span{part->bias.mutable_data(), 16}, Real(1e20));
    const Tensor x(Shape{1, 2, 16}, std::vector<Real>(32, 1));
    const auto contains = [](const char* text) { return Catch::Matchers::ContainsSubstring(text); };
    for (const std::size_t length : {1U, 2U}) {
        const Tensor mask(Shape{1, length}, std::vector<Real>(length, 1));
        const char* const expected = "encoder layer 1: attention: a score is NaN or infinite";
        CHECK_THROWS_WITH(PackedEncoder{big}(slice(x, 1, 0, length), mask), contains(expected));
        for (Real& bias : std::span{big.layers[1].self_attention.key.bias.mutable_data(), 16})
            bias = -std::abs(bias);
        CHECK_THROWS_WITH(PackedEncoder{big}(slice(x, 1, 0, length), mask), contains(expected));
    }
    for (std::size_t part = 0; part < 6; ++part) {
        for (const bool in_bias : {false, true}) {
            Encoder broken = encoder;
            auto& [query, key, value, output, num_heads] = broken.layers[1].self_attention;
            auto& [inner, outer, activation] = broken.layers[1].feed_forward;
            Linear& linear =
                *std::array<Linear*, 6>{&query, &key, &value, &output, &inner, &outer}[part];
            Tensor& weights = in_bias ? linear.bias : linear.weight;
            weights.mutable_data()[weights.size() - 1] = infinity;
            const char* const expected = "encoder layer 1: weight";
            CHECK_THROWS_WITH(PackedEncoder{broken}, contains(expected));
            const auto layer = [&](std::size_t l) { return broken.layers[l]; };
            CHECK_THROWS_WITH(PackedEncoder(2, layer), contains(expected));
        }
    }
}

TEST_CASE("PackedEncoder: refuses what does not fit", "[ch14]") {
    if constexpr (!is_float) return;
    const Encoder encoder = some_encoder(16, 2, 20, Activation::relu);
    const PackedEncoder packed{encoder};
    CHECK_THROWS_AS(packed(Tensor(Shape{1, 2, 15}), Tensor(Shape{1, 2})), ShapeError);
    CHECK_THROWS_AS(packed(Tensor(Shape{1, 2, 16}), Tensor(Shape{1, 3})), ShapeError);
    CHECK_THROWS_AS(packed(Tensor(Shape{2, 16}), Tensor(Shape{1, 2})), ShapeError);
    CHECK_THROWS_AS(PackedEncoder{Encoder{}}, std::invalid_argument);
    Encoder mixed = encoder;
    mixed.layers[1].self_attention.num_heads = 4;
    CHECK_THROWS_AS(PackedEncoder{mixed}, ShapeError);
    mixed.layers[1] = some_encoder(8, 2, 20, Activation::relu).layers[1];
    CHECK_THROWS_AS(PackedEncoder{mixed}, ShapeError);
    mixed = encoder;
    mixed.layers[0].feed_forward_norm.weight = Tensor(Shape{17});
    CHECK_THROWS_AS(PackedEncoder{mixed}, ShapeError);
    for (const std::size_t num_heads : {0U, 3U, 32U}) {
        mixed = encoder;
        for (EncoderLayer& layer : mixed.layers)
            layer.self_attention.num_heads = num_heads;
        CHECK_THROWS_AS(PackedEncoder{mixed}, ShapeError);
    }
    mixed = encoder;
    mixed.final_norm = unit_layer_norm(16);
    CHECK_THROWS_AS(PackedEncoder{mixed}, std::invalid_argument);
    Random random{1};
    CHECK_THROWS_AS(PackedEncoder{random_encoder(random, {.num_layers = 1,
                                                          .width = 8,
                                                          .num_heads = 2,
                                                          .inner_width = 8,
                                                          .norm_order = NormOrder::pre})},
                    std::invalid_argument);
}

TEST_CASE("softmax_in_place: hides what is not visible", "[ch14]") {
    std::vector<Real> scores = {1, 2, 1000, 3};
    const std::vector<Real> visible = {1, 1, 0, 1};
    CHECK(softmax_in_place(scores.data(), visible.data(), 4, Real(2)));
    // e^2 : e^4 : e^6
    const double sum = std::exp(-4.0) + std::exp(-2.0) + 1.0;
    CHECK_THAT(scores[0], WithinAbs(std::exp(-4.0) / sum, 1e-7));
    CHECK_THAT(scores[1], WithinAbs(std::exp(-2.0) / sum, 1e-7));
    CHECK(scores[2] == 0);
    CHECK_THAT(scores[3], WithinAbs(1.0 / sum, 1e-7));

    const std::vector<Real> none(4, 0);
    CHECK(softmax_in_place(scores.data(), none.data(), 4, Real(2)));
    CHECK(scores == none);

    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    const Real infinity = std::numeric_limits<Real>::infinity();
    for (const Real bad : {nan, infinity, -infinity}) {
        for (const std::size_t place : {0U, 5U, 17U}) {
            std::vector<Real> row(20, 1);
            std::vector<Real> visible_in_row(20, 1);
            row[place] = bad;
            CHECK_FALSE(softmax_in_place(std::vector(row).data(), nullptr, 20, Real(1)));
            CHECK_FALSE(softmax_in_place(std::vector(row).data(), visible_in_row.data(), 20, 1));
            visible_in_row[place] = 0;
            CHECK(softmax_in_place(row.data(), visible_in_row.data(), 20, Real(1)));
            CHECK(row[place] == 0);
        }
    }
}

TEST_CASE("all_finite: finds one bad number in any place", "[ch14]") {
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<Real> x(size, std::numeric_limits<Real>::max());
        CHECK(all_finite(x.data(), size));
        for (std::size_t place = 0; place < size; ++place) {
            x[place] = -std::numeric_limits<Real>::infinity();
            CHECK_FALSE(all_finite(x.data(), size));
            x[place] = std::numeric_limits<Real>::quiet_NaN();
            CHECK_FALSE(all_finite(x.data(), size));
            x[place] = 1;
        }
    }
}

TEST_CASE("add_and_normalise: equals LayerNorm of the sum", "[ch14]") {
    Random random{2};
    for (const std::size_t width : {1U, 7U, 8U, 33U, 768U}) {
        LayerNorm norm = unit_layer_norm(width);
        norm.epsilon = 1e-12;
        norm.weight = uniform(random, {width}, -2, 2);
        norm.bias = uniform(random, {width}, -2, 2);
        Tensor x = uniform(random, {1, width}, 90, 110);
        const Tensor change = uniform(random, {1, width}, -2, 2);
        const Tensor expected = norm(x + change);
        CHECK(add_and_normalise(x.mutable_data(), change.data(), norm));
        check_close("width " + std::to_string(width), x, expected, by_precision(8e-6, 1e-11));
        x(0, 0) = std::numeric_limits<Real>::infinity();
        CHECK_FALSE(add_and_normalise(x.mutable_data(), change.data(), norm));
    }
}

TEST_CASE("row_blocks: cover all rows evenly", "[ch14]") {
    for (std::size_t rows = 0; rows < 1100; ++rows) {
        std::size_t next = 0;
        const std::vector<RowBlock> blocks = row_blocks(rows);
        for (const RowBlock& block : blocks) {
            REQUIRE(block.begin == next);
            REQUIRE(block.end - block.begin <= 256);
            REQUIRE(block.end - block.begin >= rows / blocks.size());
            next = block.end;
        }
        REQUIRE(next == rows);
    }
}

TEST_CASE("PackedEncoder: layers given one at a time make the same encoder", "[ch14]") {
    if constexpr (!is_float) return;
    const Encoder encoder = some_encoder(24, 3, 40, Activation::gelu);
    const PackedEncoder packed{encoder.layers.size(),
                               [&](std::size_t l) { return encoder.layers[l]; }};
    Random random{5};
    const Tensor x = uniform(random, {2, 9, 24}, -2, 2);
    const Tensor mask = mask_with_gaps(2, 9);
    CHECK(packed(x, mask).hidden == PackedEncoder{encoder}(x, mask).hidden);
    CHECK_THROWS_AS(PackedEncoder(0, [&](std::size_t l) { return encoder.layers[l]; }),
                    std::invalid_argument);
}
