// BERT's input layer (Devlin et al. 2018, section 3, "Input/Output Representations"): the sum of
// three embeddings, normalised.
//
//     x[b, t] = LayerNorm(word[input_ids[b, t]] + position[t] + token_type[token_type_ids[b, t]])
//
// B examples, T positions, D model width, V tokens, P positions at most, G token types.
#pragma once

#include <string>

#include "ch05_positions/learned.hpp"
#include "ch07_encoder/dropout.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "ch13_bert_input/bert_input.hpp"
#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct BertEmbeddings {
    Tensor word_embeddings;        // (V, D)
    LearnedPositions positions;    // table (P, D)
    Tensor token_type_embeddings;  // (G, D)
    LayerNorm norm;                // epsilon 1e-12 in the published models

    /// (B, T, D), padding included. Throws as require_fit() and, for a row that is not finite,
    /// NumericError.
    Tensor operator()(const BertInput& input, Dropout* dropout = nullptr) const;

    /// Throws ShapeError naming both lengths for T > P, and for tables of different widths;
    /// std::invalid_argument naming place and number for an id outside its table; and as
    /// require_input() (bert_input.hpp).
    void require_fit(const BertInput& input) const;

    /// "word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight",
    /// "LayerNorm.weight", "LayerNorm.bias": the names of a Hugging Face checkpoint.
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        visitor(std::string{"word_embeddings.weight"}, layer.word_embeddings);
        for_each_parameter(layer.positions, visitor);
        visitor(std::string{"token_type_embeddings.weight"}, layer.token_type_embeddings);
        for_each_parameter(layer.norm, visitor, "LayerNorm.");
    }
};

}  // namespace bert
