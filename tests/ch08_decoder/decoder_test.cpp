#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch08_decoder/decoder.hpp"
#include "ch08_decoder/generator.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr std::size_t width = 12;

struct Example {
    Decoder decoder;
    Tensor x;            // (2, 5, 12)
    Tensor memory;       // (2, 4, 12)
    Tensor self_mask;    // (5, 5)
    Tensor memory_mask;  // (2, 1, 4)

    Tensor run(const DecoderPass& pass = {}) const {
        return decoder(x, memory, self_mask, memory_mask, pass);
    }
};

Example example(NormOrder order, std::size_t num_layers = 2) {
    Random random{80};
    return {random_decoder(random, {num_layers, width, 3, 20, Activation::relu, order}),
            normal(random, {2, 5, width}, 0.0, 1.0), normal(random, {2, 4, width}, 0.0, 1.0),
            causal_mask(5), padding_mask({{1, 1, 1, 1}, {1, 1, 0, 0}})};
}

}  // namespace

TEST_CASE("DecoderLayer: equals its formula written out in both norm orders", "[ch08]") {
    const Example post = example(NormOrder::post);
    const DecoderLayer& l = post.decoder.layers[0];
    const auto& [decoder, x, memory, self_mask, memory_mask] = post;
    const Tensor a = l.self_attention_norm(x + l.self_attention(x, x, self_mask).output);
    const Tensor b = l.cross_attention_norm(a + l.cross_attention(a, memory, memory_mask).output);
    CHECK(l(x, memory, self_mask, memory_mask) == l.feed_forward_norm(b + l.feed_forward(b)));
    DecoderLayer pre = l;
    pre.norm_order = NormOrder::pre;
    const Tensor n = pre.self_attention_norm(x);
    const Tensor c = x + pre.self_attention(n, n, self_mask).output;
    const Tensor d =
        c + pre.cross_attention(pre.cross_attention_norm(c), memory, memory_mask).output;
    CHECK(pre(x, memory, self_mask, memory_mask) == d + pre.feed_forward(pre.feed_forward_norm(d)));
}

TEST_CASE("Decoder: is its layers one after the other and with pre-norm a last norm", "[ch08]") {
    const Example post = example(NormOrder::post);
    const auto& [decoder, x, memory, self_mask, memory_mask] = post;
    const Tensor first = decoder.layers[0](x, memory, self_mask, memory_mask);
    CHECK_FALSE(decoder.final_norm.has_value());
    CHECK(post.run() == decoder.layers[1](first, memory, self_mask, memory_mask));
    Example pre = example(NormOrder::pre);
    REQUIRE(pre.decoder.final_norm.has_value());
    const Tensor y = pre.run();
    const LayerNorm norm = *pre.decoder.final_norm;
    pre.decoder.final_norm.reset();
    CHECK(y == norm(pre.run()));
}

TEST_CASE("Decoder: no position depends on later ones", "[ch08]") {
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        Example e = example(order);
        const Tensor before = e.run();
        for (std::size_t d = 0; d < width; ++d)
            e.x(0, 3, d) += Real{5};
        const Tensor after = e.run();
        CHECK(slice(after, 1, 0, 3) == slice(before, 1, 0, 3));
        CHECK(slice(after, 0, 1, 2) == slice(before, 0, 1, 2));
        CHECK_FALSE(slice(after, 1, 4, 5) == slice(before, 1, 4, 5));
    }
}

TEST_CASE("Decoder: every position sees the whole source but not its padding", "[ch08]") {
    Example e = example(NormOrder::post);
    const Tensor before = e.run();
    for (std::size_t d = 0; d < width; ++d)
        e.memory(1, 3, d) += Real{5};  // padding
    CHECK(e.run() == before);
    for (std::size_t d = 0; d < width; ++d)
        e.memory(0, 3, d) += Real{5};  // the last source position, seen by the first target
    CHECK_FALSE(slice(slice(e.run(), 0, 0, 1), 1, 0, 1) == slice(slice(before, 0, 0, 1), 1, 0, 1));
}

TEST_CASE("Decoder: dropout acts on three sublayers a layer", "[ch08]") {
    const Example e = example(NormOrder::post);
    Dropout dropout{0.1, Random{3}};
    CHECK_FALSE(e.run({.dropout = &dropout}) == e.run());
    CHECK(dropout.random().position() == 6 * 2 * 5 * width);
}

TEST_CASE("AttentionRecorder: gets self-attention and cross-attention apart", "[ch08]") {
    Example e = example(NormOrder::pre, 3);
    track_parameters(e.decoder);
    AttentionRecorder self;
    AttentionRecorder cross;
    e.run({.self_recorder = &self, .cross_recorder = &cross});
    REQUIRE(self.weights.size() == 3);
    REQUIRE(cross.weights.size() == 3);
    for (std::size_t l = 0; l < 3; ++l) {
        CHECK(self.weights[l].shape() == Shape{2, 3, 5, 5});
        CHECK(cross.weights[l].shape() == Shape{2, 3, 5, 4});
        CHECK_FALSE(is_tracked(self.weights[l]));
        CHECK_FALSE(is_tracked(cross.weights[l]));
        CHECK(self.weights[l](0, 0, 0, 1) == 0);   // the future
        CHECK(cross.weights[l](1, 0, 0, 2) == 0);  // padding
    }
    e.run({.cross_recorder = &cross});
    CHECK(self.weights.size() == 3);
    CHECK(cross.weights.size() == 6);
}

TEST_CASE("Decoder: parameters have the names of a checkpoint", "[ch08]") {
    Example e = example(NormOrder::pre);
    std::vector<std::string> names;
    for (const NamedParameter& parameter : parameters_of(e.decoder))
        names.push_back(parameter.name);
    REQUIRE(names.size() == 2 * 26 + 2);
    CHECK(names[0] == "layers.0.self_attention.query.weight");
    CHECK(names[8] == "layers.0.self_attention_norm.weight");
    CHECK(names[10] == "layers.0.cross_attention.query.weight");
    CHECK(names[18] == "layers.0.cross_attention_norm.weight");
    CHECK(names[20] == "layers.0.feed_forward.inner.weight");
    CHECK(names[24] == "layers.0.feed_forward_norm.weight");
    CHECK(names[26] == "layers.1.self_attention.query.weight");
    CHECK(names.back() == "final_norm.bias");
}

TEST_CASE("Decoder: six layers of width 512 have 25224192 parameters", "[ch08]") {
    Random random{81};
    const Decoder decoder = random_decoder(random, {});
    const std::size_t d = 512;
    const std::size_t f = 2048;
    CHECK(parameter_count(decoder) ==
          6 * (2 * 4 * (d * d + d) + (d * f + f + f * d + d) + 3 * 2 * d));
    CHECK(parameter_count(decoder) == 25224192);
}

TEST_CASE("N22: decoder output to 10000 logits to b times 100 distributions", "[ch08]") {
    // One layer; the shapes are those of six.
    Random random{22};
    const Decoder decoder = random_decoder(random, {.num_layers = 1});
    const Tensor memory = normal(random, {2, 3, 512}, 0.0, 1.0);
    const Tensor x = normal(random, {2, 100, 512}, 0.0, 1.0);
    const Tensor y = decoder(x, memory, causal_mask(100), Tensor(Shape{1, 1}, {1}));
    CHECK(y.shape() == Shape{2, 100, 512});
    const Generator generator{random_linear(random, 512, 10000, 0.05)};
    CHECK(generator.logits(y).shape() == Shape{2, 100, 10000});
    const Tensor probabilities = generator.probabilities(y);
    CHECK(probabilities.shape() == Shape{2, 100, 10000});
    // Largest seen: 0 in float, 9.2e-15 in double.
    check_close("row sums", sum(probabilities, -1), Tensor(Shape{2, 100}) + Real{1},
                by_precision(2e-7, 4e-14));
    const Generator uniform{{Tensor(Shape{10000, 512}), Tensor(Shape{10000})}};
    const Tensor loss = cross_entropy(uniform.logits(slice(y, 1, 0, 2)), {0, 9999, 17, 4});
    CHECK_THAT(*loss.data(), WithinAbs(9.21034037, by_precision(1e-6, 5e-9)));
    CHECK_THAT(*loss.data(), WithinAbs(std::log(10000.0), by_precision(1e-6, 1e-12)));
}

TEST_CASE("Generator: probabilities worked by hand", "[ch08]") {
    // Logits ln 1, ln 2 and ln 5 from one entry that is 1.
    const Generator generator{{{{0}, {std::log(2.0)}, {std::log(5.0)}}, Tensor(Shape{3})}};
    const Tensor y(Shape{1, 1, 1}, {1});
    CHECK(generator.logits(y)(0, 0, 0) == 0);
    check_close("probabilities", generator.probabilities(y), {{{0.125, 0.25, 0.625}}},
                by_precision(6e-8, 5e-16));  // largest seen: 1.5e-8, 0
}

TEST_CASE("Decoder: what does not fit is refused", "[ch08]") {
    const Example e = example(NormOrder::post);
    const auto& [decoder, x, memory, self_mask, memory_mask] = e;
    const auto run = [&decoder = decoder](const Tensor& a, const Tensor& b, const Tensor& mask_a,
                                          const Tensor& mask_b) {
        return decoder(a, b, mask_a, mask_b);
    };
    CHECK_THROWS_WITH((Decoder{}(x, memory, self_mask, memory_mask)),
                      ContainsSubstring("Decoder: it has no layers"));
    CHECK_THROWS_AS((Decoder{}(x, memory, self_mask, memory_mask)), std::invalid_argument);
    CHECK_THROWS_AS(run(Tensor(Shape{2, 5, 11}), memory, self_mask, memory_mask), ShapeError);
    CHECK_THROWS_AS(run(x, Tensor(Shape{2, 4, 11}), self_mask, memory_mask), ShapeError);
    CHECK_THROWS_AS(run(x, Tensor(Shape{3, 4, width}), self_mask, memory_mask), ShapeError);
    CHECK_THROWS_AS(run(x, Tensor(Shape{2, 0, width}), self_mask, memory_mask), ShapeError);
    CHECK_THROWS_AS(run(x, memory, memory_mask, memory_mask), ShapeError);
    CHECK_THROWS_AS(run(x, memory, self_mask, self_mask), ShapeError);
    CHECK_THROWS_AS(run(x, memory, self_mask, Tensor(Shape{3, 1, 4})), ShapeError);
    Tensor bad = memory;
    bad(0, 0, 0) = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_AS(run(x, bad, self_mask, memory_mask), NumericError);
    const Generator generator{{Tensor(Shape{7, width}), Tensor(Shape{7})}};
    CHECK_THROWS_AS(generator.logits(Tensor(Shape{2, 5, 11})), ShapeError);
    CHECK_THROWS_AS(generator.probabilities(Tensor(Shape{2, 5, 11})), ShapeError);
    Random random{1};
    CHECK_THROWS_WITH(random_decoder(random, {0, 8, 2, 8}),
                      ContainsSubstring("random_decoder: layers (found 0"));
    CHECK_THROWS_AS(random_decoder(random, {1, 8, 3, 8}), ShapeError);
}
