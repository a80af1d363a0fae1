// The examples of a data file as a model reads them in an epoch.
//
// Static masking: always as they are in the file. Dynamic masking (Liu et al. 2019, section 4.1):
// nothing is chosen there, and every epoch chooses anew, from the seed, its own number and that of
// the example alone, so that neither the order nor an interruption changes anything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch14_bert/config.hpp"
#include "ch15_pretraining/masking.hpp"
#include "ch15_pretraining/pretraining_data.hpp"
#include "ch15_pretraining/pretraining_example.hpp"

namespace bert {

class ExampleReader {
  public:
    /// Throws std::invalid_argument as masking_vocabulary() does.
    ExampleReader(PretrainingData data, const Tokenizer& tokenizer, std::uint64_t seed);

    const PretrainingData& data() const { return data_; }
    std::size_t size() const { return data_.size(); }
    /// In tokens.
    std::size_t length(std::size_t i) const { return data_.length(i); }
    /// Throws as PretrainingData::example().
    PretrainingExample example(std::size_t i, std::uint64_t epoch = 0) const;

  private:
    PretrainingData data_;
    MaskingVocabulary vocabulary_;
    std::uint64_t seed_;
};

/// Throws FileError when the data were made with another vocabulary, or are of a size that the
/// model does not take; `vocabulary_sha256` is of its vocab.txt.
void require_fitting_data(const PretrainingData& data, const std::string& vocabulary_sha256,
                          const BertConfig& config);

/// Throws FileError when vocab.txt and config.json differ in size, or the model has one token type
/// only.
void require_fitting_vocabulary(const std::string& path, const WordPieceVocabulary& vocabulary,
                                const BertConfig& config);

}  // namespace bert
