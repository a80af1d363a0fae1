#include "ch09_translation/transformer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch05_positions/sinusoidal.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch06_learning/gradient_check.hpp"
#include "ch08_decoder/step.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

Transformer small_transformer(std::uint64_t seed, NormOrder order = NormOrder::post) {
    Random random{seed};
    return random_transformer(random, {11, 13, 10, {2, 12, 3, 20, Activation::relu, order}});
}

const std::vector<TokenIds> sources{{5, 9, 2}, {4, 3, 10, 7, 2}, {6, 2}};
const std::vector<TokenIds> inputs{{1, 12, 4, 8}, {1, 3}, {1, 5, 6, 7, 11}};

// Row t of example b of (B, T, V).
Tensor row_of(const Tensor& logits, std::size_t b, std::size_t t) {
    return slice(slice(logits, 0, b, b + 1), 1, t, t + 1);
}

}  // namespace

TEST_CASE("random_transformer: has the sizes asked for", "[ch09]") {
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        const Transformer model = small_transformer(1, order);
        const TransformerSize size = size_of(model);
        CHECK(size.source_words == 11);
        CHECK(size.target_words == 13);
        CHECK(size.max_length == 10);
        CHECK(size.layers.num_layers == 2);
        CHECK(size.layers.width == 12);
        CHECK(size.layers.num_heads == 3);
        CHECK(size.layers.inner_width == 20);
        CHECK(size.layers.activation == Activation::relu);
        CHECK(size.layers.norm_order == order);
        // Embeddings, 2 layers of 3 attentions (4 matrices and biases), 2 feed-forward networks
        // and 5 norms, the generator; before each sublayer also 2 norms at the end.
        const std::size_t attention = 4 * (12 * 12 + 12);
        const std::size_t feed_forward = 12 * 20 + 20 + 20 * 12 + 12;
        const std::size_t final_norms = order == NormOrder::pre ? 2 * 24 : 0;
        CHECK(parameter_count(model) == (11 + 13) * 12 +
                                            2 * (3 * attention + 2 * feed_forward + 5 * 24) +
                                            13 * 12 + 13 + final_norms);
    }
}

TEST_CASE("random_transformer: embeddings times sqrt D have variance 1", "[ch09]") {
    Random random{2};
    const Transformer model = random_transformer(random, {500, 400, 10, {1, 64, 2, 8}});
    for (const Tensor* table : {&model.source_embedding, &model.target_embedding}) {
        double squares = 0.0;
        for (std::size_t i = 0; i < table->size(); ++i)
            squares += std::pow(static_cast<double>(table->data()[i]), 2);
        // 25600 numbers and more: the standard deviation of the variance is 0.009.
        CHECK_THAT(64.0 * squares / static_cast<double>(table->size()), WithinAbs(1.0, 0.03));
    }
}

TEST_CASE("Transformer: a token is embedded as sqrt D E plus its position", "[ch09]") {
    const Transformer model = small_transformer(3);
    const Tensor x = model.embed_target({4, 7, 4, 0}, 2, 3, nullptr);  // positions 3 and 4, twice
    REQUIRE(x.shape() == Shape{2, 2, 12});
    double largest = 0.0;
    const TokenIds ids{4, 7, 4, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::vector<double> position =
            sinusoidal_position(static_cast<double>(3 + i % 2), 12);
        for (std::size_t d = 0; d < 12; ++d) {
            const double embedding =
                static_cast<double>(model.target_embedding(static_cast<std::size_t>(ids[i]), d));
            const double expected = std::sqrt(12.0) * embedding + position[d];
            largest =
                std::max(largest, std::abs(static_cast<double>(x(i / 2, i % 2, d)) - expected));
        }
    }
    std::cout << "embedding: largest error " << largest << "\n";
    CHECK(largest <= by_precision(4e-7, 1e-15));  // largest seen: 9.4e-8, 0
}

TEST_CASE("Transformer: both languages have embeddings of their own", "[ch09]") {
    Transformer model = small_transformer(4);
    const TokenBatch source = pad_sentences({{4, 2}});
    const TokenBatch input = pad_sentences({{1, 4}});
    const Tensor before = model.logits(source, input);
    const Tensor memory = model.encode(source);
    model.target_embedding(4, 0) += Real{1};
    CHECK(max_error(model.encode(source), memory) == 0.0);
    CHECK(max_error(row_of(model.logits(source, input), 0, 0), row_of(before, 0, 0)) == 0.0);
    CHECK(max_error(row_of(model.logits(source, input), 0, 1), row_of(before, 0, 1)) > 1e-3);
    model.source_embedding(4, 0) += Real{1};
    CHECK(max_error(model.encode(source), memory) > 1e-3);
}

TEST_CASE("Transformer: later target tokens change nothing before them", "[ch09]") {
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        const Transformer model = small_transformer(5, order);
        const TokenBatch source = pad_sentences({{5, 9, 2}});
        const TokenIds tokens{1, 12, 4, 8, 3, 6};
        const Tensor before = model.logits(source, pad_sentences({tokens}));
        for (std::size_t t = 1; t < tokens.size(); ++t) {
            TokenIds changed = tokens;
            for (std::size_t later = t; later < tokens.size(); ++later)
                changed[later] = (tokens[later] + 5) % 13;
            const Tensor after = model.logits(source, pad_sentences({changed}));
            CHECK(max_error(slice(after, 1, 0, t), slice(before, 1, 0, t)) == 0.0);
            CHECK(max_error(row_of(after, 0, t), row_of(before, 0, t)) > 1e-3);
        }
    }
}

TEST_CASE("Transformer: padding and the other sentences of a batch change nothing", "[ch09]") {
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        const Transformer model = small_transformer(6, order);
        const Tensor together = model.logits(pad_sentences(sources), pad_sentences(inputs));
        for (std::size_t b = 0; b < sources.size(); ++b) {
            const Tensor alone =
                model.logits(pad_sentences({sources[b]}), pad_sentences({inputs[b]}));
            const Tensor part = slice(slice(together, 0, b, b + 1), 1, 0, inputs[b].size());
            // Largest seen: 0; other shapes may be other orders of summation.
            check_close("alone", part, alone, by_precision(1e-6, 2e-15));
        }
    }
}

TEST_CASE("Transformer: source padding is not seen whatever token stands there", "[ch09]") {
    const Transformer model = small_transformer(7);
    TokenBatch source = pad_sentences(sources);
    const TokenBatch input = pad_sentences(inputs);
    const Tensor before = model.logits(source, input);
    for (std::size_t i = 0; i < source.ids.size(); ++i) {
        if (source.attention_mask.data()[i] == 0) source.ids[i] = 8;
    }
    CHECK(max_error(model.logits(source, input), before) == 0.0);
}

TEST_CASE("N23: decoding word by word gives the logits of teacher forcing", "[ch09]") {
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        const Transformer model = small_transformer(8, order);
        const TokenBatch source = pad_sentences(sources);
        const TokenIds input{1, 12, 4, 8, 3, 6, 9, 1, 3, 3, 7, 12, 11, 10, 1, 5, 6, 7, 11, 9, 4};
        const std::size_t length = 7;
        const Tensor expected = model.logits(
            source, {3, length, input, Tensor{Shape{3, length}, std::vector<Real>(21, 1)}});
        DecoderCache cache =
            start_cache(model.decoder, model.encode(source), padding_mask(source.attention_mask));
        for (std::size_t t = 0; t < length; ++t) {
            TokenIds tokens;
            for (std::size_t b = 0; b < 3; ++b)
                tokens.push_back(input[b * length + t]);
            const Tensor x = model.embed_target(tokens, 3, t, nullptr);
            const Tensor logits = model.generator.logits(step(model.decoder, x, cache));
            // The limit of N23 is 1e-6. Largest seen: 0.
            check_close("word " + std::to_string(t), logits, slice(expected, 1, t, t + 1),
                        by_precision(1e-6, 3e-15));
        }
    }
}

TEST_CASE("Transformer: recorders get the attention of every layer", "[ch09]") {
    const Transformer model = small_transformer(9);
    AttentionRecorder encoder;
    AttentionRecorder decoder;
    AttentionRecorder cross;
    model.logits(
        pad_sentences(sources), pad_sentences(inputs),
        {.encoder_recorder = &encoder, .decoder_recorder = &decoder, .cross_recorder = &cross});
    REQUIRE(encoder.weights.size() == 2);
    REQUIRE(decoder.weights.size() == 2);
    REQUIRE(cross.weights.size() == 2);
    CHECK(encoder.weights[1].shape() == Shape{3, 3, 5, 5});
    CHECK(decoder.weights[1].shape() == Shape{3, 3, 5, 5});
    CHECK(cross.weights[1].shape() == Shape{3, 3, 5, 5});
    CHECK(decoder.weights[0](0, 0, 1, 2) == 0);  // causal
    CHECK(encoder.weights[0](2, 0, 0, 2) == 0);  // padding of the third source
    CHECK(cross.weights[0](2, 0, 0, 2) == 0);
}

TEST_CASE("Transformer: dropout falls on embeddings and sublayers", "[ch09]") {
    const Transformer model = small_transformer(10);
    const TokenBatch source = pad_sentences({{5, 9, 2}});
    const TokenBatch input = pad_sentences({{1, 12, 4, 8}});
    const Tensor plain = model.logits(source, input);
    Dropout none{0.0, Random{1}};
    CHECK(max_error(model.logits(source, input, {.dropout = &none}), plain) == 0.0);
    Dropout half{0.5, Random{1}};
    CHECK(max_error(model.logits(source, input, {.dropout = &half}), plain) > 0.1);
    // One word for each of 3 positions and 12 numbers at the embedding and 2 layers of 2
    // sublayers; of 4 positions at the embedding and 2 layers of 3 sublayers.
    CHECK(half.random().position() == 3 * 12 * 5 + 4 * 12 * 7);
}

TEST_CASE("Transformer: padding of the labels counts for nothing", "[ch09]") {
    const Transformer model = small_transformer(11);
    const std::vector<PairIds> pairs{
        {sources[0], {12, 4, 8}}, {sources[1], {3}}, {sources[2], {5, 6, 7, 11}}};
    const CrossEntropyOptions options{.label_smoothing = 0.1, .ignored_label = pad_id};
    const auto loss_of = [&](const std::vector<PairIds>& some) {
        const TrainingBatch batch = make_training_batch(some);
        return static_cast<double>(
            *cross_entropy(model.logits(batch.source, batch.input), batch.labels, options).data());
    };
    // The mean over 4 + 2 + 5 words.
    const double expected =
        (4.0 * loss_of({pairs[0]}) + 2.0 * loss_of({pairs[1]}) + 5.0 * loss_of({pairs[2]})) / 11.0;
    CHECK_THAT(
        loss_of(pairs),
        WithinAbs(expected, by_precision(3e-7, 2e-15)));  // largest seen: 6.5e-8, below 2e-15
}

TEST_CASE("Transformer: gradients of the whole model equal central differences", "[ch09]") {
    if (sizeof(Real) == sizeof(float)) return;  // too few digits for differences of losses
    for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
        Random random{12};
        Transformer model =
            random_transformer(random, {7, 6, 6, {2, 6, 3, 8, Activation::gelu, order}});
        const TrainingBatch batch = make_training_batch(
            {{{5, 3, 2}, {4, 5, 3, 5}}, {{4, 6, 3, 5, 2}, {3}}, {{6, 2}, {3, 3}}});
        const auto loss = [&] {
            Dropout dropout{0.1, Random{5}};
            return cross_entropy(model.logits(batch.source, batch.input, {.dropout = &dropout}),
                                 batch.labels, {.label_smoothing = 0.1, .ignored_label = pad_id});
        };
        for (const GradientError& error : check_gradients(loss, parameters_of(model), 2e-4)) {
            INFO(error.name);
            CHECK(error.relative <= 1e-8);  // largest seen: 4.5e-9
        }
    }
}

TEST_CASE("Transformer: unknown tokens and long sentences are refused", "[ch09]") {
    const Transformer model = small_transformer(13);
    const TokenBatch source = pad_sentences({{5, 9, 2}});
    const TokenBatch input = pad_sentences({{1, 12}});
    for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{13}, INT64_MAX, INT64_MIN}) {
        INFO(wrong);
        CHECK_THROWS_AS(model.encode(pad_sentences({{wrong, 2}})), std::invalid_argument);
        CHECK_THROWS_AS(model.logits(source, pad_sentences({{1, wrong}})), std::invalid_argument);
    }
    CHECK_THROWS_AS(model.encode(pad_sentences({{11, 2}})), std::invalid_argument);
    CHECK_NOTHROW(model.encode(pad_sentences({TokenIds(10, 3)})));
    CHECK_THROWS_AS(model.encode(pad_sentences({TokenIds(11, 3)})), ShapeError);
    CHECK_THROWS_WITH(model.encode(pad_sentences({TokenIds(11, 3)})),
                      "Transformer: a sentence of 11 tokens is longer than max_length 10");
    CHECK_THROWS_AS(model.logits(source, pad_sentences({TokenIds(11, 3)})), ShapeError);
    CHECK_THROWS_AS(model.embed_target({3}, 1, 10, nullptr), ShapeError);
    CHECK_THROWS_AS(model.embed_target({}, 0, 0, nullptr), ShapeError);
    CHECK_THROWS_AS(model.embed_target({3, 4, 5}, 2, 0, nullptr), ShapeError);
    CHECK_THROWS_AS(model.logits(pad_sentences(sources), input), ShapeError);
}

TEST_CASE("random_transformer: sizes of nothing are refused", "[ch09]") {
    Random random{14};
    const EncoderSize layers{1, 6, 2, 8};
    CHECK_THROWS_AS(random_transformer(random, {0, 5, 5, layers}), std::invalid_argument);
    CHECK_THROWS_AS(random_transformer(random, {5, 0, 5, layers}), std::invalid_argument);
    CHECK_THROWS_AS(random_transformer(random, {5, 5, 0, layers}), std::invalid_argument);
    CHECK_THROWS_AS(random_transformer(random, {5, 5, 5, {0, 6, 2, 8}}), std::invalid_argument);
    CHECK_THROWS_AS(random_transformer(random, {5, 5, 5, {1, 6, 4, 8}}), ShapeError);
    CHECK_THROWS_AS(random_transformer(random, {5, 5, 5, {1, 5, 5, 8}}), ShapeError);  // odd width
}

TEST_CASE("N21: the base Transformer has 44138496 parameters besides its vocabulary", "[ch09]") {
    constexpr std::size_t words = 10;
    const auto count = [](std::size_t num_layers) {
        Random random{21};
        const EncoderSize layers{.num_layers = num_layers};  // by default of the paper's widths
        return parameter_count(random_transformer(
            random, {.source_words = words, .target_words = words, .layers = layers}));
    };
    // An attention has 4 (512 512 + 512), a feed-forward network 2 512 2048 + 2048 + 512, a norm
    // 2 512; a layer of the encoder has one, one and two of them, of the decoder two, one and
    // three.
    constexpr std::size_t attention = 4 * (512 * 512 + 512);
    constexpr std::size_t feed_forward = 2 * 512 * 2048 + 2048 + 512;
    constexpr std::size_t layer = 3 * attention + 2 * feed_forward + 5 * 2 * 512;
    constexpr std::size_t vocabulary = 3 * words * 512 + words;  // two embeddings, a generator
    CHECK(count(1) == layer + vocabulary);
    CHECK(count(2) == 2 * layer + vocabulary);
    CHECK(6 * layer == 44138496);
    // With one matrix shared by all three and 37000 word pieces, the 65 million of the paper.
    CHECK(6 * layer + 37000 * 512 == 63082496);
}
