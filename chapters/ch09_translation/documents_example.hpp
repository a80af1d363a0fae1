// The documents' example, learned: "je suis etudiant" -> "i am a student", word by word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ch09_translation/grammar.hpp"
#include "ch09_translation/model_file.hpp"
#include "ch09_translation/training.hpp"

namespace bert {

/// Two pairs, so that six tokens can be said: a, am, i, student, thanks and <end>.
std::vector<SentencePair> documents_pairs();

struct DocumentsExample {
    TranslationModel model;
    std::vector<double> losses;  // of each step
};

/// A model of one layer and width 32, trained for 60 steps on both pairs.
DocumentsExample train_documents_example(std::uint64_t seed = 9);

/// One step of greedy decoding.
struct SpokenWord {
    std::string given;                  // the token that the decoder got
    std::string said;                   // the most probable next one
    std::vector<double> probabilities;  // of every token of the target vocabulary
};

/// Decodes step by step until <end>, or until max_tokens are said. Throws UsageError for a word
/// that the model does not know.
std::vector<SpokenWord> speak(const TranslationModel& model, const std::string& sentence,
                              std::size_t max_tokens);

}  // namespace bert
