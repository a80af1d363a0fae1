// The two heads that BERT is pre-trained with (Devlin et al. 2018, section 3.1).
//
//     masked language model   logits = LayerNorm(act(W h + b)) E^T + c       (.., V)
//     next sentence           logits = W pooled + b                          (B, 2)
//
// E (V, D) is the table of the word embeddings itself: the decoder is tied to it and has only the
// bias c of its own. Next sentence: entry 0 says "B follows A", entry 1 "B is a random sentence".
#pragma once

#include <string>

#include "ch04_multi_head/linear.hpp"
#include "ch07_encoder/activations.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct MaskedLanguageModelHead {
    Linear transform;  // (D, D)
    Activation activation = Activation::gelu;
    LayerNorm norm;
    Tensor bias;     // (V)
    Tensor decoder;  // (V, D) of a checkpoint that is not tied; empty: the word embeddings

    /// hidden (.., D) and the word embeddings (V, D) to logits (.., V). Throws ShapeError when they
    /// do not fit.
    Tensor operator()(const Tensor& hidden, const Tensor& word_embeddings) const;

    /// "bias", "transform.dense.weight", "transform.LayerNorm.weight", and so on; "decoder.weight"
    /// only where it is not tied.
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        visitor(std::string{"bias"}, layer.bias);
        for_each_parameter(layer.transform, visitor, "transform.dense.");
        for_each_parameter(layer.norm, visitor, "transform.LayerNorm.");
        if (layer.decoder.size() != 0) visitor(std::string{"decoder.weight"}, layer.decoder);
    }
};

}  // namespace bert
