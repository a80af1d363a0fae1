// The Transformer (Vaswani et al. 2017), whole: two embeddings, encoder, decoder, generator.
//
//     memory = encoder(sqrt(D) E_source[source] + PE)                     (B, S, D)
//     y      = decoder(sqrt(D) E_target[input] + PE, memory)              (B, T, D)
//     logits = generator(y)                                               (B, T, V)
//
// B batch, S source positions, T target positions, D model width, V words of the target language.
#pragma once

#include <cstddef>

#include "ch07_encoder/encoder.hpp"
#include "ch08_decoder/decoder.hpp"
#include "ch08_decoder/generator.hpp"
#include "ch09_translation/token_batch.hpp"
#include "common/random/random.hpp"
#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct TransformerSize {
    std::size_t source_words = 0;  // special tokens among them
    std::size_t target_words = 0;
    std::size_t max_length = 64;  // positions, in both languages
    EncoderSize layers{};         // of the encoder, and of the decoder
};

/// What one run through the model does besides computing.
struct TransformerPass {
    Dropout* dropout = nullptr;
    AttentionRecorder* encoder_recorder = nullptr;
    AttentionRecorder* decoder_recorder = nullptr;
    AttentionRecorder* cross_recorder = nullptr;
};

struct Transformer {
    Tensor source_embedding;  // (words, D)
    Tensor target_embedding;  // (words, D)
    Encoder encoder;
    Decoder decoder;
    Generator generator;
    Tensor positions;  // (max_length, D), computed, not trained

    /// The encoder's output (B, S, D). Throws ShapeError for a sentence longer than max_length,
    /// std::invalid_argument for a token outside the vocabulary.
    Tensor encode(const TokenBatch& source, const TransformerPass& pass = {}) const;
    /// (B, T, V): row t says what follows input[0] .. input[t], of which it sees no more. Throws
    /// likewise.
    Tensor logits(const TokenBatch& source, const TokenBatch& input,
                  const TransformerPass& pass = {}) const;
    /// Target tokens (B, T), the first at position `first`, as the decoder gets them: (B, T, D).
    Tensor embed_target(const TokenIds& ids, std::size_t batch, std::size_t first,
                        Dropout* dropout) const;

    /// "source_embedding", "target_embedding", "encoder.layers.0...", "decoder...", "generator...".
    template <typename Model, typename Visitor>
    static void visit_parameters(Model& model, const Visitor& visitor) {
        visitor(std::string{"source_embedding"}, model.source_embedding);
        visitor(std::string{"target_embedding"}, model.target_embedding);
        for_each_parameter(model.encoder, visitor, "encoder.");
        for_each_parameter(model.decoder, visitor, "decoder.");
        for_each_parameter(model.generator, visitor, "generator.");
    }
};

/// Embeddings from a normal distribution of standard deviation 1 / sqrt(D), so that sqrt(D) times
/// them has variance 1 beside the positions; weights by Xavier's rule. Throws as random_encoder,
/// and std::invalid_argument for an empty vocabulary or no positions.
Transformer random_transformer(Random& random, const TransformerSize& size);

/// The sizes that made it.
TransformerSize size_of(const Transformer& model);

}  // namespace bert
