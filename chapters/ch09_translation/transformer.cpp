#include "ch09_translation/transformer.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "ch03_masks/masks.hpp"
#include "ch05_positions/sinusoidal.hpp"
#include "ch06_learning/initialise.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/gather.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

namespace {

// [embed]
// sqrt(D) E[id] + PE(first + t)
Tensor embed(const Tensor& table, const Tensor& positions, const TokenIds& ids, std::size_t batch,
             std::size_t first, Dropout* dropout) {
    if (batch == 0) throw ShapeError{"Transformer: a batch without sentences"};
    const std::size_t length = ids.size() / batch;
    if (first + length > positions.dim(0)) {
        throw ShapeError{"Transformer: a sentence of " + std::to_string(first + length) +
                         " tokens is longer than max_length " + std::to_string(positions.dim(0))};
    }
    const auto scale = static_cast<Real>(std::sqrt(static_cast<double>(table.dim(1))));
    const Tensor vectors = gather_rows(table, ids, {batch, length}) * scale;  // (B, T, D)
    const Tensor placed = vectors + slice(positions, 0, first, first + length);
    return dropout == nullptr ? placed : (*dropout)(placed);
}
// [embed]

}  // namespace

// [transformer]
Tensor Transformer::encode(const TokenBatch& source, const TransformerPass& pass) const {
    const Tensor x = embed(source_embedding, positions, source.ids, source.size, 0, pass.dropout);
    return encoder(x, padding_mask(source.attention_mask), {pass.dropout, pass.encoder_recorder});
}

Tensor Transformer::logits(const TokenBatch& source, const TokenBatch& input,
                           const TransformerPass& pass) const {
    const Tensor memory = encode(source, pass);
    const Tensor x = embed_target(input.ids, input.size, 0, pass.dropout);
    // Padding stands at the end, where the causal mask hides it from every token before it.
    const Tensor y =
        decoder(x, memory, causal_mask(input.length), padding_mask(source.attention_mask),
                {pass.dropout, pass.decoder_recorder, pass.cross_recorder});
    return generator.logits(y);
}
// [transformer]

Tensor Transformer::embed_target(const TokenIds& ids, std::size_t batch, std::size_t first,
                                 Dropout* dropout) const {
    return embed(target_embedding, positions, ids, batch, first, dropout);
}

Transformer random_transformer(Random& random, const TransformerSize& size) {
    require_size("random_transformer", size.layers);
    if (size.source_words == 0 || size.target_words == 0 || size.max_length == 0) {
        throw std::invalid_argument{
            "random_transformer: vocabularies of " + std::to_string(size.source_words) + " and " +
            std::to_string(size.target_words) + " words, " + std::to_string(size.max_length) +
            " positions (expected at least 1 of each)"};
    }
    const std::size_t width = size.layers.width;
    const double deviation = 1.0 / std::sqrt(static_cast<double>(width));
    // In a braced list these are made in this order.
    return {
        normal(random, {size.source_words, width}, 0.0, deviation),
        normal(random, {size.target_words, width}, 0.0, deviation),
        random_encoder(random, size.layers),
        random_decoder(random, size.layers),
        {{xavier_uniform(random, {size.target_words, width}), Tensor(Shape{size.target_words})}},
        sinusoidal_positions(size.max_length, width)};
}

TransformerSize size_of(const Transformer& model) {
    const EncoderLayer& layer = model.encoder.layers.at(0);
    return {.source_words = model.source_embedding.dim(0),
            .target_words = model.target_embedding.dim(0),
            .max_length = model.positions.dim(0),
            .layers = {.num_layers = model.encoder.layers.size(),
                       .width = model.source_embedding.dim(1),
                       .num_heads = layer.self_attention.num_heads,
                       .inner_width = layer.feed_forward.inner.weight.dim(0),
                       .activation = layer.feed_forward.activation,
                       .norm_order = layer.norm_order}};
}

}  // namespace bert
