// Sentences as numbers, several to a batch.
//
// B sentences, padded at the end to the length of the longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ch09_translation/vocabulary.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct TokenBatch {
    std::size_t size;       // B
    std::size_t length;     // of the longest sentence
    TokenIds ids;           // (B, length), pad_id after the end of a sentence
    Tensor attention_mask;  // (B, length): 1 for a token, 0 for padding
};

/// Throws ShapeError without sentences and for a sentence without tokens.
TokenBatch pad_sentences(const std::vector<TokenIds>& sentences);

/// A pair as the model is taught it. Teacher forcing: the decoder reads the right words, shifted by
/// one, whatever it would have said itself.
///
///     source     je suis etudiant <end>
///     input      <start> i am a student
///     labels     i am a student <end>
struct TrainingBatch {
    TokenBatch source;
    TokenBatch input;
    TokenIds labels;  // (B T), pad_id where nothing is asked
};

struct PairIds {
    TokenIds source;  // with its end_id
    TokenIds target;  // without start and end
};

/// Throws ShapeError for no pairs, and for a source without tokens.
TrainingBatch make_training_batch(const std::vector<PairIds>& pairs);

}  // namespace bert
