// How good translations are: BLEU, and how many sentences are right to the last word.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ch09_translation/bleu.hpp"
#include "ch09_translation/grammar.hpp"
#include "ch09_translation/model_file.hpp"

namespace bert {

struct Evaluation {
    std::vector<std::string> translations;
    Bleu bleu;
    std::size_t exact = 0;  // equal to the reference
};

/// Greedy translations of the sources against the targets. Throws std::invalid_argument for no
/// pairs, UsageError for a source word that the model does not know.
Evaluation evaluate(const TranslationModel& model, const std::vector<SentencePair>& pairs);

/// One greedy translation, as text. Throws UsageError likewise.
std::string translate(const TranslationModel& model, const std::string& sentence);

/// What teacher forcing hides: the words that greedy decoding says after a beginning that was put
/// into its mouth, until <end>. Throws UsageError for unknown words.
std::string go_on_after(const TranslationModel& model, const std::string& sentence,
                        const std::string& beginning);

/// How often the model's most probable next word is the reference's, when it reads the reference
/// itself (teacher forcing), and when every `every`-th word it reads is another one, at random.
struct ForcedAccuracy {
    double right_words_read = 0;
    double wrong_words_read = 0;
};
ForcedAccuracy forced_accuracy(const TranslationModel& model,
                               const std::vector<SentencePair>& pairs, std::size_t every);

}  // namespace bert
