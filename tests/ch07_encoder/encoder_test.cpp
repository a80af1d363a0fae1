#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch07_encoder/encoder.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

const Tensor everything(Shape{1, 1}, {1});

constexpr std::size_t width = 12;

Encoder small_encoder(NormOrder order, std::size_t num_layers = 2) {
    Random random{70};
    return random_encoder(random, {num_layers, width, 3, 20, Activation::relu, order});
}

Tensor small_input() {
    Random random{71};
    return normal(random, {2, 5, width}, 0.0, 1.0);
}

// A layer whose attention and feed-forward network give 0.
EncoderLayer silent_layer(NormOrder order) {
    EncoderLayer layer = small_encoder(order).layers[0];
    for (Linear* last : {&layer.self_attention.output, &layer.feed_forward.outer})
        last->weight = Tensor(last->weight.shape());
    return layer;
}

}  // namespace

TEST_CASE("add_residual: sums equal shapes and refuses others", "[ch07]") {
    const Tensor x{{1, 2}, {3, 4}};
    CHECK(add_residual(x, {{10, 20}, {30, 40}}, nullptr) == Tensor{{11, 22}, {33, 44}});
    Dropout dropout{0.5, Random{1}};
    Dropout same = dropout;
    CHECK(add_residual(x, x, &dropout) == x + same(x));
    // These would broadcast.
    CHECK_THROWS_WITH(
        add_residual(x, Tensor{1, 2}, nullptr),
        ContainsSubstring("add_residual: x (2, 2)") && ContainsSubstring("(2) differ"));
    CHECK_THROWS_AS(add_residual(x, Tensor(Shape{2, 1}), nullptr), ShapeError);
}

TEST_CASE("EncoderLayer: sublayers that say nothing leave the norms alone", "[ch07]") {
    const Tensor x = small_input();
    const LayerNorm norm = unit_layer_norm(width);
    CHECK(silent_layer(NormOrder::post)(x, everything) == norm(norm(x)));
    CHECK(silent_layer(NormOrder::pre)(x, everything) == x);
}

TEST_CASE("EncoderLayer: equals its formula written out in both norm orders", "[ch07]") {
    const Tensor x = small_input();
    const Tensor mask = padding_mask({{1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}});
    const EncoderLayer post = small_encoder(NormOrder::post).layers[0];
    const Tensor a = post.attention_norm(x + post.self_attention(x, x, mask).output);
    CHECK(post(x, mask) == post.feed_forward_norm(a + post.feed_forward(a)));
    const EncoderLayer pre = small_encoder(NormOrder::pre).layers[0];
    const Tensor n = pre.attention_norm(x);
    const Tensor b = x + pre.self_attention(n, n, mask).output;
    CHECK(pre(x, mask) == b + pre.feed_forward(pre.feed_forward_norm(b)));
    CHECK_FALSE(pre(x, mask) == post(x, mask));
}

TEST_CASE("Encoder: is its layers one after the other and with pre-norm a last norm", "[ch07]") {
    const Tensor x = small_input();
    const Encoder post = small_encoder(NormOrder::post);
    CHECK_FALSE(post.final_norm.has_value());
    CHECK(post(x, everything) == post.layers[1](post.layers[0](x, everything), everything));
    Encoder pre = small_encoder(NormOrder::pre);
    REQUIRE(pre.final_norm.has_value());
    const Tensor y = pre.layers[1](pre.layers[0](x, everything), everything);
    CHECK(pre(x, everything) == (*pre.final_norm)(y));
    pre.final_norm.reset();
    CHECK(pre(x, everything) == y);
}

TEST_CASE("Encoder: an example does not depend on its padding", "[ch07]") {
    const Tensor mask = padding_mask({{1, 1, 1, 0, 0}, {1, 1, 1, 1, 1}});
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        const Encoder encoder = small_encoder(order);
        Tensor x = small_input();
        const Tensor before = slice(slice(encoder(x, mask), 0, 0, 1), 1, 0, 3);
        for (std::size_t d = 0; d < width; ++d)
            x(0, 4, d) += Real{100};
        CHECK(slice(slice(encoder(x, mask), 0, 0, 1), 1, 0, 3) == before);
    }
}

TEST_CASE("Encoder: positions moved about move their outputs along", "[ch07]") {
    const Encoder encoder = small_encoder(NormOrder::post);
    const Tensor x = small_input();
    const auto turn = [](const Tensor& t) {
        return concat({slice(t, 1, 2, 5), slice(t, 1, 0, 2)}, 1);
    };
    // The order of the sums changes. Largest seen: 3e-7, 1.2e-15.
    check_close("turned", encoder(turn(x), everything), turn(encoder(x, everything)),
                by_precision(1.2e-6, 5e-15));
}

TEST_CASE("Encoder: dropout acts only when it is given", "[ch07]") {
    const Encoder encoder = small_encoder(NormOrder::post);
    const Tensor x = small_input();
    const Tensor plain = encoder(x, everything);
    CHECK(encoder(x, everything) == plain);
    Dropout dropout{0.1, Random{3}};
    const Tensor first = encoder(x, everything, {.dropout = &dropout});
    CHECK_FALSE(first == plain);
    // Two sublayers a layer, each 2 * 5 * 12 words.
    CHECK(dropout.random().position() == 4 * 120);
    dropout.random().set_position(0);
    CHECK(encoder(x, everything, {.dropout = &dropout}) == first);
    Dropout none{0.0, Random{3}};
    CHECK(encoder(x, everything, {.dropout = &none}) == plain);
    // That of attention weights: two layers of 2 * 3 * 5 * 5 of them.
    Dropout of_weights{0.1, Random{3}};
    AttentionRecorder recorder;
    CHECK_FALSE(encoder(x, everything, {nullptr, &recorder, &of_weights}) == plain);
    CHECK(of_weights.random().position() == 152 + 150);  // from a multiple of 4 on
    check_close("recorded weights sum to 1", sum(recorder.weights[0], -1),
                broadcast_to(Tensor(Shape{1}, {1}), {2, 3, 5}), by_precision(5e-7, 1e-15));
}

TEST_CASE("AttentionRecorder: gets the weights of every layer unknown to the tape", "[ch07]") {
    Encoder encoder = small_encoder(NormOrder::post, 3);
    track_parameters(encoder);
    const Tensor x = small_input();
    AttentionRecorder recorder;
    encoder(x, everything, {.recorder = &recorder});
    REQUIRE(recorder.weights.size() == 3);
    for (const Tensor& weights : recorder.weights) {
        CHECK(weights.shape() == Shape{2, 3, 5, 5});
        CHECK_FALSE(is_tracked(weights));
    }
    CHECK(recorder.weights[0] == encoder.layers[0].self_attention(x, x).weights);
}

TEST_CASE("Encoder: parameters have the names of a checkpoint", "[ch07]") {
    Encoder encoder = small_encoder(NormOrder::pre);
    std::vector<std::string> names;
    for (const NamedParameter& parameter : parameters_of(encoder))
        names.push_back(parameter.name);
    REQUIRE(names.size() == 2 * 16 + 2);
    CHECK(names.front() == "layers.0.self_attention.query.weight");
    CHECK(names[8] == "layers.0.attention_norm.weight");
    CHECK(names[10] == "layers.0.feed_forward.inner.weight");
    CHECK(names[14] == "layers.0.feed_forward_norm.weight");
    CHECK(names[16] == "layers.1.self_attention.query.weight");
    CHECK(names.back() == "final_norm.bias");
}

TEST_CASE("random_encoder: weights follow Xavier and norms start at 1 and 0", "[ch07]") {
    Encoder encoder = small_encoder(NormOrder::pre);
    for (const auto& [name, tensor] : parameters_of(encoder)) {
        INFO(name);
        const auto [least, most] =
            std::minmax_element(tensor->data(), tensor->data() + tensor->size());
        const bool is_norm_weight = name.ends_with("norm.weight");
        if (is_norm_weight || name.ends_with("bias")) {
            CHECK(*least == *most);
            CHECK(*least == (is_norm_weight ? 1 : 0));
        } else {
            const double limit =
                std::sqrt(6.0 / static_cast<double>(tensor->dim(0) + tensor->dim(1)));
            CHECK(std::max(-*least, *most) <= limit);
            CHECK(std::min(-*least, *most) > 0.8 * limit);
        }
    }
    CHECK_FALSE(encoder.layers[0].feed_forward.inner.weight ==
                encoder.layers[1].feed_forward.inner.weight);
}

TEST_CASE("N21: six layers of width 512 keep the shape and have 18914304 parameters", "[ch07]") {
    const EncoderSize size;
    CHECK(size.num_layers == 6);
    CHECK(size.width == 512);
    CHECK(size.inner_width == 2048);
    Random random{21};
    const Encoder encoder = random_encoder(random, size);
    const std::size_t d = size.width;
    const std::size_t f = size.inner_width;
    const std::size_t attention = 4 * (d * d + d);
    const std::size_t feed_forward = d * f + f + f * d + d;
    CHECK(parameter_count(encoder) == 6 * (attention + feed_forward + 2 * 2 * d));
    CHECK(parameter_count(encoder) == 18914304);
    const Tensor x = normal(random, {2, 3, 512}, 0.0, 1.0);
    const Tensor y = encoder(x, everything);
    CHECK(y.shape() == x.shape());
    // FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, and LayerNorm(x + Sublayer(x)).
    const EncoderLayer& layer = encoder.layers[0];
    CHECK(layer.feed_forward.inner.weight.shape() == Shape{2048, 512});
    const Tensor a = layer.attention_norm(x + layer.self_attention(x, x).output);
    const Tensor ffn = layer.feed_forward.outer(relu(layer.feed_forward.inner(a)));
    CHECK(layer(x, everything) == layer.feed_forward_norm(a + ffn));
}

TEST_CASE("Encoder: what does not fit is refused", "[ch07]") {
    const Encoder encoder = small_encoder(NormOrder::post);
    const Tensor x = small_input();
    CHECK_THROWS_WITH((Encoder{}(x, everything)), ContainsSubstring("Encoder: it has no layers"));
    CHECK_THROWS_AS((Encoder{}(x, everything)), std::invalid_argument);
    CHECK_THROWS_AS(encoder(Tensor(Shape{2, 5, 11}), everything), ShapeError);
    CHECK_THROWS_AS(encoder(Tensor(Shape{5, width}), everything), ShapeError);
    CHECK_THROWS_AS(encoder(Tensor(Shape{2, 0, width}), everything), ShapeError);
    CHECK_THROWS_AS(encoder(x, Tensor(Shape{4, 4})), ShapeError);
    CHECK_THROWS_AS(encoder(x, Tensor(Shape{3, 1, 5})), ShapeError);
    CHECK_THROWS_AS(encoder(x, Tensor(Shape{5})), ShapeError);
    CHECK_THROWS_AS(encoder(x, everything * Real(0.5)), std::invalid_argument);
    // A feed-forward network of another width; its one column would broadcast.
    Encoder narrow = encoder;
    narrow.layers[1].feed_forward.outer = {Tensor(Shape{1, 20}), Tensor(Shape{1})};
    CHECK_THROWS_WITH(narrow(x, everything), ContainsSubstring("add_residual"));
    Tensor bad = x;
    bad(1, 2, 3) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(encoder(bad, everything), NumericError);
    CHECK_THROWS_AS(small_encoder(NormOrder::pre)(bad, everything), NumericError);
}

TEST_CASE("random_encoder: impossible sizes are refused", "[ch07]") {
    Random random{1};
    const auto make = [&random](std::size_t layers, std::size_t d, std::size_t heads,
                                std::size_t inner) {
        return random_encoder(random, {layers, d, heads, inner});
    };
    CHECK_THROWS_WITH(make(0, 8, 2, 8), ContainsSubstring("random_encoder: layers (found 0"));
    CHECK_THROWS_AS(make(0, 8, 2, 8), std::invalid_argument);
    CHECK_THROWS_WITH(make(1, 0, 2, 8), ContainsSubstring("random_encoder: width"));
    CHECK_THROWS_WITH(make(1, 8, 2, 0), ContainsSubstring("random_encoder: inner width"));
    CHECK_THROWS_WITH(make(1, 8, 3, 8), ContainsSubstring("D=8 does not split into H=3 heads"));
    CHECK_THROWS_AS(make(1, 8, 0, 8), ShapeError);
}
