// The encoder of the Transformer (Vaswani et al. 2017, sections 3.1 and 5.4): L layers, each of
// self-attention and a feed-forward network, each of the two in a residual connection with a layer
// normalisation.
//
// B batch, T positions, D model width, F inner width, H heads, L layers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ch04_multi_head/multi_head.hpp"
#include "ch07_encoder/dropout.hpp"
#include "ch07_encoder/feed_forward.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "ch07_encoder/residual.hpp"
#include "common/random/random.hpp"
#include "common/tensor/parameters.hpp"

namespace bert {

/// Attention weights (B, H, T, S), one for each layer that ran, in order, unknown to the tape.
struct AttentionRecorder {
    std::vector<Tensor> weights;
};

/// What one run through the layers does besides computing.
struct Pass {
    Dropout* dropout = nullptr;             // null: evaluation, nothing is dropped
    AttentionRecorder* recorder = nullptr;  // null: attention weights are not kept
    Dropout* attention_dropout = nullptr;   // of attention weights: BERT has it
};

struct EncoderLayer {
    MultiHeadAttention self_attention;
    LayerNorm attention_norm;
    FeedForward feed_forward;
    LayerNorm feed_forward_norm;
    NormOrder norm_order = NormOrder::post;

    /// x (B, T, D), mask (T, T), (B, 1, T) or (B, T, T); returns (B, T, D). Throws ShapeError and
    /// NumericError as MultiHeadAttention and LayerNorm do.
    Tensor operator()(const Tensor& x, const Tensor& mask, const Pass& pass = {}) const;

    /// "self_attention.query.weight", "attention_norm.weight", "feed_forward.inner.weight", and so
    /// on.
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        for_each_parameter(layer.self_attention, visitor, "self_attention.");
        for_each_parameter(layer.attention_norm, visitor, "attention_norm.");
        for_each_parameter(layer.feed_forward, visitor, "feed_forward.");
        for_each_parameter(layer.feed_forward_norm, visitor, "feed_forward_norm.");
    }
};

struct Encoder {
    std::vector<EncoderLayer> layers;
    std::optional<LayerNorm> final_norm = {};  // pre-norm only: nothing else normalises the sum

    /// As EncoderLayer. Throws std::invalid_argument when there are no layers.
    Tensor operator()(const Tensor& x, const Tensor& mask, const Pass& pass = {}) const;

    /// "layers.0.self_attention.query.weight", .. , "final_norm.weight".
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& encoder, const Visitor& visitor) {
        for (std::size_t l = 0; l < encoder.layers.size(); ++l)
            for_each_parameter(encoder.layers[l], visitor, "layers." + std::to_string(l) + ".");
        if (encoder.final_norm) for_each_parameter(*encoder.final_norm, visitor, "final_norm.");
    }
};

/// By default the base model of the paper.
struct EncoderSize {
    std::size_t num_layers = 6;
    std::size_t width = 512;
    std::size_t num_heads = 8;
    std::size_t inner_width = 2048;
    Activation activation = Activation::relu;
    NormOrder norm_order = NormOrder::post;
};

/// Weights by Xavier's uniform rule, biases 0, normalisations with weight 1 and bias 0. Throws
/// ShapeError unless num_heads divides width, std::invalid_argument for a size of 0.
Encoder random_encoder(Random& random, const EncoderSize& size);

/// The parts of it, for other stacks; same rules and errors.
MultiHeadAttention random_attention(Random& random, std::size_t width, std::size_t num_heads);
FeedForward random_feed_forward(Random& random, const EncoderSize& size);

/// Throws what random_encoder throws, naming `function`.
void require_size(std::string_view function, const EncoderSize& size);

}  // namespace bert
