// An example of pre-training for the eye: the text, what the model reads, and what it has to guess.
//
//     A text   [CLS] the cat    sat [SEP]
//       reads  [CLS] the [MASK] sat [SEP]
//       guess            cat
#pragma once

#include <cstddef>
#include <string>

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "ch15_pretraining/pretraining_example.hpp"

namespace bert {

/// Lines of at most `columns` characters, but for a longer token; A and B each begin on a new one.
/// Throws std::invalid_argument for a token that the vocabulary does not have.
std::string example_table(const PretrainingExample& example, const WordPieceVocabulary& vocabulary,
                          std::size_t columns = 100);

}  // namespace bert
