// BERT with its heads, as far as a checkpoint has them.
#pragma once

#include <optional>
#include <string>

#include "ch14_bert/bert_model.hpp"
#include "ch14_bert/config.hpp"
#include "ch14_bert/heads.hpp"
#include "common/random/random.hpp"
#include "common/tensor/parameters.hpp"

namespace bert {

/// Which parts a model has besides embeddings and encoder.
struct BertParts {
    bool pooler = true;
    bool predictions = true;
    bool seq_relationship = true;
    bool own_decoder = false;  // a masked language model head that is not tied
};

struct Bert {
    BertConfig config;
    BertModel model;
    std::optional<MaskedLanguageModelHead> predictions;
    std::optional<Linear> seq_relationship;  // (2, D)

    /// Logits over the vocabulary, (.., V), for hidden states (.., D). Throws std::logic_error when
    /// the model lacks the head.
    Tensor prediction_logits(const Tensor& hidden) const;
    /// Logits (B, 2) for pooled outputs (B, D); entry 0: B follows A. Throws likewise.
    Tensor seq_relationship_logits(const Tensor& pooled) const;

    /// "bert.embeddings...", "bert.encoder...", "cls.predictions...", "cls.seq_relationship...":
    /// the names of a Hugging Face checkpoint.
    template <typename Model, typename Visitor>
    static void visit_parameters(Model& bert, const Visitor& visitor) {
        for_each_parameter(bert.model, visitor, "bert.");
        if (bert.predictions) for_each_parameter(*bert.predictions, visitor, "cls.predictions.");
        if (bert.seq_relationship)
            for_each_parameter(*bert.seq_relationship, visitor, "cls.seq_relationship.");
    }
};

/// A model of these layers and parts, each tensor of which is a single 0: what a checkpoint or a
/// generator fills in.
Bert bert_outline(const BertConfig& config, const BertParts& parts);

/// The shape that the config gives to the parameter of this name, as Bert names it.
Shape parameter_shape(const BertConfig& config, const std::string& name);

/// Where pre-training starts (google-research's and Hugging Face's rule): weights and embeddings
/// from truncated_normal(initializer_range), biases 0, layer normalisations that only normalise.
Bert random_bert(Random& random, const BertConfig& config, const BertParts& parts = {});

/// The layer of random_bert, one at a time.
EncoderLayer random_encoder_layer(Random& random, const BertConfig& config);

/// The number of trained numbers, from the shapes alone.
std::size_t parameter_count(const BertConfig& config, const BertParts& parts);

}  // namespace bert
