// BERT without its heads (Devlin et al. 2018, section 3): embeddings, an encoder, a pooler. All
// three were there before; this file only puts them together.
//
//     h[0]   = embeddings(input)                        (B, T, D)
//     h[l+1] = layer l of the encoder (h[l])            (B, T, D)     l = 0 .. L - 1
//     pooled = tanh(W h[L][:, 0] + b)                   (B, D)        of the first token, [CLS]
//
// B examples, T positions, D model width, H heads, L layers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ch04_multi_head/linear.hpp"
#include "ch07_encoder/encoder.hpp"
#include "ch13_bert_input/bert_input.hpp"
#include "ch13_bert_input/embeddings.hpp"
#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// What one run gives; the names are those of Hugging Face's outputs.
struct BertOutput {
    Tensor last_hidden_state;             // (B, T, D)
    std::optional<Tensor> pooler_output;  // (B, D), of a model with a pooler
    std::vector<Tensor> hidden_states;    // L+1 of (B, T, D): the embeddings, then every layer
    std::vector<Tensor> attentions;       // L of (B, H, T, T), after softmax
};

/// What one run does besides computing.
struct BertPass {
    Dropout* dropout = nullptr;            // null: evaluation
    Dropout* attention_dropout = nullptr;  // of attention weights; null: evaluation
    bool hidden_states = false;            // keep those of every layer
    bool attentions = false;               // keep the attention weights
};

struct BertModel {
    BertEmbeddings embeddings;
    Encoder encoder;               // post-norm
    std::optional<Linear> pooler;  // (D, D)

    /// Throws as the embeddings and the encoder do: ShapeError, std::invalid_argument,
    /// NumericError.
    BertOutput operator()(const BertInput& input, const BertPass& pass = {}) const;

    /// "embeddings.word_embeddings.weight", "encoder.layer.0.attention.self.query.weight", and so
    /// on: the names of a Hugging Face checkpoint (visit_encoder_layer below).
    template <typename Model, typename Visitor>
    static void visit_parameters(Model& model, const Visitor& visitor);
};

/// tanh(W h[:, 0] + b) of h (B, T, D): (B, D).
Tensor pool(const Linear& pooler, const Tensor& hidden);

// [names]
/// The sixteen tensors of a layer by their names in a Hugging Face checkpoint.
template <typename Layer, typename Visitor>
void visit_encoder_layer(Layer& layer, const Visitor& visitor, const std::string& prefix) {
    for_each_parameter(layer.self_attention.query, visitor, prefix + "attention.self.query.");
    for_each_parameter(layer.self_attention.key, visitor, prefix + "attention.self.key.");
    for_each_parameter(layer.self_attention.value, visitor, prefix + "attention.self.value.");
    for_each_parameter(layer.self_attention.output, visitor, prefix + "attention.output.dense.");
    for_each_parameter(layer.attention_norm, visitor, prefix + "attention.output.LayerNorm.");
    for_each_parameter(layer.feed_forward.inner, visitor, prefix + "intermediate.dense.");
    for_each_parameter(layer.feed_forward.outer, visitor, prefix + "output.dense.");
    for_each_parameter(layer.feed_forward_norm, visitor, prefix + "output.LayerNorm.");
}
// [names]

template <typename Model, typename Visitor>
void BertModel::visit_parameters(Model& model, const Visitor& visitor) {
    for_each_parameter(model.embeddings, visitor, "embeddings.");
    for (std::size_t l = 0; l < model.encoder.layers.size(); ++l) {
        visit_encoder_layer(model.encoder.layers[l], visitor,
                            "encoder.layer." + std::to_string(l) + ".");
    }
    if (model.pooler) for_each_parameter(*model.pooler, visitor, "pooler.dense.");
}

}  // namespace bert
