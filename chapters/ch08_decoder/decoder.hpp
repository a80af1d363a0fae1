// The decoder of the Transformer (Vaswani et al. 2017, section 3.1): L layers, each of masked
// self-attention, cross-attention to the encoder's output, and a feed-forward network, each of the
// three in a residual connection with a layer normalisation.
//
// B batch, T target positions, S source positions, D model width, H heads, L layers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ch04_multi_head/multi_head.hpp"
#include "ch07_encoder/encoder.hpp"
#include "common/random/random.hpp"
#include "common/tensor/parameters.hpp"

namespace bert {

/// What one run through a decoder does besides computing.
struct DecoderPass {
    Dropout* dropout = nullptr;                   // null: evaluation, nothing is dropped
    AttentionRecorder* self_recorder = nullptr;   // (B, H, T, T) a layer
    AttentionRecorder* cross_recorder = nullptr;  // (B, H, T, S) a layer
};

struct DecoderLayer {
    MultiHeadAttention self_attention;
    LayerNorm self_attention_norm;
    MultiHeadAttention cross_attention;
    LayerNorm cross_attention_norm;
    FeedForward feed_forward;
    LayerNorm feed_forward_norm;
    NormOrder norm_order = NormOrder::post;

    /// x (B, T, D) and memory (B, S, D), the encoder's output; self_mask, the causal one, is (T, T)
    /// or with padding (B, T, T); memory_mask is (B, 1, S), or any of MultiHeadAttention. Returns
    /// (B, T, D). Throws ShapeError and NumericError as MultiHeadAttention and LayerNorm do.
    Tensor operator()(const Tensor& x, const Tensor& memory, const Tensor& self_mask,
                      const Tensor& memory_mask, const DecoderPass& pass = {}) const;

    /// "self_attention.query.weight", "self_attention_norm.weight", "cross_attention.query.weight",
    /// "cross_attention_norm.weight", "feed_forward.inner.weight", "feed_forward_norm.weight", and
    /// so on.
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        for_each_parameter(layer.self_attention, visitor, "self_attention.");
        for_each_parameter(layer.self_attention_norm, visitor, "self_attention_norm.");
        for_each_parameter(layer.cross_attention, visitor, "cross_attention.");
        for_each_parameter(layer.cross_attention_norm, visitor, "cross_attention_norm.");
        for_each_parameter(layer.feed_forward, visitor, "feed_forward.");
        for_each_parameter(layer.feed_forward_norm, visitor, "feed_forward_norm.");
    }
};

struct Decoder {
    std::vector<DecoderLayer> layers;
    std::optional<LayerNorm> final_norm = {};  // pre-norm only

    /// As DecoderLayer. Throws std::invalid_argument when there are no layers.
    Tensor operator()(const Tensor& x, const Tensor& memory, const Tensor& self_mask,
                      const Tensor& memory_mask, const DecoderPass& pass = {}) const;

    /// "layers.0.self_attention.query.weight", .. , "final_norm.weight".
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& decoder, const Visitor& visitor) {
        for (std::size_t l = 0; l < decoder.layers.size(); ++l)
            for_each_parameter(decoder.layers[l], visitor, "layers." + std::to_string(l) + ".");
        if (decoder.final_norm) for_each_parameter(*decoder.final_norm, visitor, "final_norm.");
    }
};

/// Made as random_encoder makes an encoder of these sizes, with the same errors.
Decoder random_decoder(Random& random, const EncoderSize& size);

}  // namespace bert
