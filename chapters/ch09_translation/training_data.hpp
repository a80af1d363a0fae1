// Sentence pairs made ready for training.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ch09_translation/grammar.hpp"
#include "ch09_translation/token_batch.hpp"
#include "ch09_translation/vocabulary.hpp"

namespace bert {

struct TrainingData {
    Vocabulary source;
    Vocabulary target;
    std::vector<PairIds> train;
    std::vector<SentencePair> held_out;  // never trained on
    std::string fingerprint;             // of all sentences, in their order
};

/// Vocabularies of all sentences, numbers of those to train on. Throws std::invalid_argument
/// without a sentence to train on, UsageError for a sentence without words, ShapeError naming the
/// first sentence of more than max_length - 1 words: a start or an end goes with them.
TrainingData prepare(const CorpusSplit& split, std::size_t max_length);

/// The numbers of a sentence to be translated: its words and end_id. Throws UsageError for a word
/// unknown to the vocabulary and a sentence without words, ShapeError for one of more than
/// max_length - 1.
TokenIds source_ids(const Vocabulary& vocabulary, const std::string& sentence,
                    std::size_t max_length);

/// The words of a translation with a blank between them.
std::string text_of(const Vocabulary& vocabulary, const TokenIds& tokens);

}  // namespace bert
