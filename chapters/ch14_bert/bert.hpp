// A pre-trained BERT, ready to read: from a folder as Hugging Face's transformers writes it.
//
//     const bert::PretrainedBert model = bert::PretrainedBert::load("folder");
//     const bert::BertOutput output = model(model.encode("time flies like an arrow"));
//     output.last_hidden_state                                               (1, T, D)
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch13_bert_input/batch.hpp"
#include "ch13_bert_input/bert_input.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "ch14_bert/bert_model.hpp"
#include "ch14_bert/checkpoint.hpp"
#include "ch14_bert/packed_encoder.hpp"
#include "ch14_bert/pre_training_bert.hpp"
#include "ch14_bert/text_vectors.hpp"

namespace bert {

class PretrainedBert {
  public:
    /// Reads config.json, the weights and, where it is there, vocab.txt. Throws as load_bert() and
    /// Tokenizer::from_folder() do, FileError when vocabulary and config differ in size.
    static PretrainedBert load(const std::string& folder, CheckpointNotes* notes = nullptr);

    /// Takes a model, with or without a tokenizer. Throws as PackedEncoder does.
    explicit PretrainedBert(Bert bert, std::optional<Tokenizer> tokenizer = {});

    /// A model that nobody has trained, without heads, for measuring: the weights of a layer are
    /// drawn, packed and dropped before the next layer's, so that no more are in memory than one
    /// run needs.
    static PretrainedBert random(Random& random, const BertConfig& config);

    const BertConfig& config() const { return bert_->config; }
    /// Config, embeddings, pooler and heads; the encoder's layers are not in it once packed.
    const Bert& bert() const { return *bert_; }
    /// Throws std::logic_error where the folder has no vocab.txt.
    const Tokenizer& tokenizer() const;
    bool has_tokenizer() const { return tokenizer_.has_value(); }

    /// [CLS] text [SEP] as a batch of one. Throws as tokenizer().
    BertInput encode(std::string_view text) const;
    /// Texts or pairs as one batch, padded to the longest. Throws as tokenizer(), encode_all() and
    /// make_batch() do.
    BertInput encode_batch(std::span<const TextPair> texts,
                           const EncodingOptions& options = {}) const;

    /// By the packed encoder; by the model as chapter 14 writes it down under BERT_MATMUL=loop, and
    /// where Real is double. hidden_states begins with the embeddings. Throws as BertModel does.
    BertOutput operator()(const BertInput& input, const EncoderWishes& wishes = {}) const;

  private:
    PretrainedBert() = default;

    std::shared_ptr<const Bert> bert_;
    std::optional<Tokenizer> tokenizer_;
    std::optional<PackedEncoder> packed_;
};

}  // namespace bert
