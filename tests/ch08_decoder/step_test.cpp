#include <limits>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch08_decoder/decoder.hpp"
#include "ch08_decoder/generator.hpp"
#include "ch08_decoder/step.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

struct Example {
    Decoder decoder;
    Generator generator;
    Tensor x;       // (3, 11, 24)
    Tensor memory;  // (3, 7, 24)
    Tensor mask;    // (3, 1, 7)

    Tensor position(std::size_t t) const { return slice(x, 1, t, t + 1); }
};

Example example(NormOrder order) {
    Random random{81};
    return {random_decoder(random, {2, 24, 3, 48, Activation::relu, order}),
            {random_linear(random, 24, 13, 0.5)},
            normal(random, {3, 11, 24}, 0.0, 1.0),
            normal(random, {3, 7, 24}, 0.0, 1.0),
            padding_mask({{1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 0}})};
}

// A cache after `count` steps of the example.
DecoderCache cache_after(const Example& e, std::size_t count) {
    DecoderCache cache = start_cache(e.decoder, e.memory, e.mask);
    for (std::size_t t = 0; t < count; ++t)
        step(e.decoder, e.position(t), cache);
    return cache;
}

// Examples `rows` of x.
Tensor select_rows(const Tensor& x, const std::vector<std::size_t>& rows) {
    std::vector<Tensor> parts;
    for (const std::size_t row : rows)
        parts.push_back(slice(x, 0, row, row + 1));
    return concat(parts, 0);
}

}  // namespace

TEST_CASE("N23: decoding step by step gives the logits of the parallel pass", "[ch08]") {
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        const Example e = example(order);
        const Tensor all = e.decoder(e.x, e.memory, causal_mask(11), e.mask);
        DecoderCache cache = start_cache(e.decoder, e.memory, e.mask);
        std::vector<Tensor> logits;
        for (std::size_t t = 0; t < 11; ++t) {
            logits.push_back(e.generator.logits(step(e.decoder, e.position(t), cache)));
            CHECK(cache.length == t + 1);
        }
        // Largest seen: 0; other sizes may be tiled in another way.
        check_close("logits", concat(logits, 1), e.generator.logits(all),
                    by_precision(1e-6, 1e-14));
    }
}

TEST_CASE("start_cache: keys and values of the source are there before the first step", "[ch08]") {
    const Example e = example(NormOrder::post);
    const DecoderCache cache = start_cache(e.decoder, e.memory, e.mask);
    CHECK(cache.length == 0);
    REQUIRE(cache.layers.size() == 2);
    const MultiHeadAttention& cross = e.decoder.layers[1].cross_attention;
    CHECK(cache.layers[1].cross.keys == split_heads(cross.key(e.memory), 3));
    CHECK(cache.layers[1].cross.values == split_heads(cross.value(e.memory), 3));
    CHECK(cache.layers[1].self.keys.size() == 0);
    CHECK(cache_after(e, 4).layers[0].self.values.shape() == Shape{3, 3, 4, 8});
}

TEST_CASE("step: writes nothing on the tape", "[ch08]") {
    Example e = example(NormOrder::post);
    track_parameters(e.decoder);
    DecoderCache cache = start_cache(e.decoder, e.memory, e.mask);
    CHECK_FALSE(is_tracked(step(e.decoder, e.position(0), cache)));
    CHECK_FALSE(is_tracked(cache.layers[0].self.keys));
    CHECK_FALSE(is_tracked(cache.layers[0].cross.keys));
}

TEST_CASE("reorder: examples go on as if they had always stood there", "[ch08]") {
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        const Example e = example(order);
        for (const std::vector<std::size_t>& rows :
             {std::vector<std::size_t>{2, 0, 1}, {1, 1, 2, 1, 0}, {1}}) {
            DecoderCache cache = cache_after(e, 4);
            reorder(cache, rows);
            const Example moved{e.decoder, e.generator, select_rows(e.x, rows),
                                select_rows(e.memory, rows), select_rows(e.mask, rows)};
            DecoderCache expected = cache_after(moved, 4);
            CHECK(cache.length == 4);
            CHECK(cache.memory_mask == moved.mask);
            // Largest seen: 0.
            check_close("after reorder", step(e.decoder, moved.position(4), cache),
                        step(e.decoder, moved.position(4), expected), by_precision(2e-6, 1e-14));
        }
    }
}

TEST_CASE("reorder: one source goes on in several places before the first step", "[ch08]") {
    const Example e = example(NormOrder::post);
    const std::vector<std::size_t> rows{1, 1};
    DecoderCache cache = start_cache(e.decoder, e.memory, e.mask);
    reorder(cache, rows);
    CHECK(cache.length == 0);
    CHECK(cache.layers[0].cross.keys.shape() == Shape{2, 3, 7, 8});
    const Tensor x = select_rows(e.position(0), rows);
    DecoderCache expected =
        start_cache(e.decoder, select_rows(e.memory, rows), select_rows(e.mask, rows));
    check_close("first step", step(e.decoder, x, cache), step(e.decoder, x, expected),
                by_precision(2e-6, 1e-14));  // largest seen: 0
}

TEST_CASE("reorder: a copy of a cache is not changed with it", "[ch08]") {
    const Example e = example(NormOrder::post);
    DecoderCache cache = cache_after(e, 3);
    DecoderCache copy = cache;
    const Tensor next = step(e.decoder, e.position(3), cache);
    CHECK(copy.length == 3);
    reorder(cache, {0});
    CHECK(step(e.decoder, e.position(3), copy) == next);
}

TEST_CASE("step: what does not fit is refused and leaves the cache as it was", "[ch08]") {
    const Example e = example(NormOrder::post);
    DecoderCache cache = cache_after(e, 2);
    const auto refuse = [&](const Tensor& x, const char* message) {
        CHECK_THROWS_WITH(step(e.decoder, x, cache), ContainsSubstring(message));
        CHECK_THROWS_AS(step(e.decoder, x, cache), ShapeError);
    };
    refuse(slice(e.x, 1, 0, 2), "step: x (B=3, T=2, D=24) is not one position (B=3, T=1, D)");
    refuse(Tensor(Shape{2, 1, 24}), "step: x (B=2, T=1, D=24)");
    refuse(Tensor(Shape{3, 24}), "step: x (3, 24)");
    refuse(Tensor(Shape{3, 1, 23}), "Linear: x (3, 1, 23)");
    Tensor bad = e.position(2);
    bad(1, 0, 0) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(step(e.decoder, bad, cache), NumericError);
    DecoderCache same = cache_after(e, 2);
    CHECK(cache.length == 2);
    CHECK(step(e.decoder, e.position(2), cache) == step(e.decoder, e.position(2), same));
}

TEST_CASE("step: a cache of another decoder is refused", "[ch08]") {
    const Example e = example(NormOrder::post);
    DecoderCache empty;
    CHECK_THROWS_WITH(step(e.decoder, e.position(0), empty),
                      ContainsSubstring("step: a cache of 0 layers for a decoder of 2"));
    CHECK_THROWS_AS(step(e.decoder, e.position(0), empty), ShapeError);
    Random random{1};
    const Decoder deeper = random_decoder(random, {3, 24, 3, 48});
    const Decoder wider = random_decoder(random, {2, 24, 2, 48});
    DecoderCache cache = cache_after(e, 1);
    CHECK_THROWS_AS(step(deeper, e.position(0), cache), ShapeError);
    CHECK_THROWS_AS(step(wider, e.position(0), cache), ShapeError);
    DecoderCache nothing;
    CHECK_THROWS_AS(step(Decoder{}, e.position(0), nothing), ShapeError);
}

TEST_CASE("start_cache: what does not fit is refused", "[ch08]") {
    const Example e = example(NormOrder::post);
    CHECK_THROWS_WITH(start_cache(e.decoder, e.memory, Tensor(Shape{3, 1, 6})),
                      ContainsSubstring("start_cache: memory (B=3, S=7, D=24)") &&
                          ContainsSubstring("(3, 1, 6)"));
    CHECK_THROWS_AS(start_cache(e.decoder, e.memory, Tensor(Shape{1, 1})), ShapeError);
    CHECK_THROWS_AS(start_cache(e.decoder, Tensor(Shape{7, 24}), e.mask), ShapeError);
    CHECK_THROWS_AS(start_cache(e.decoder, Tensor(Shape{3, 7, 23}), e.mask), ShapeError);
    CHECK_THROWS_AS(start_cache(Decoder{}, e.memory, e.mask), std::invalid_argument);
}

TEST_CASE("reorder: rows that are not there are refused", "[ch08]") {
    const Example e = example(NormOrder::post);
    DecoderCache cache = cache_after(e, 1);
    CHECK_THROWS_WITH(
        reorder(cache, {0, 3}),
        ContainsSubstring("reorder: row (found 3, expected one below the batch size 3"));
    CHECK_THROWS_AS(reorder(cache, {0, 3}), std::invalid_argument);
    CHECK_THROWS_AS(reorder(cache, {}), std::invalid_argument);
    CHECK(cache.memory_mask.dim(0) == 3);
    DecoderCache empty;
    CHECK_THROWS_AS(reorder(empty, {0}), std::invalid_argument);
}
