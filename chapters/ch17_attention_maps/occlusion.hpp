// A second opinion: not where the model looks, but what it cannot do without.
#pragma once

#include <string>
#include <vector>

#include "ch09_translation/model_file.hpp"

namespace bert {

/// What one source word is to a translation, by two measures.
struct WordNeed {
    std::string word;
    double attention;  // share of the cross-attention, mean over target words, heads and layers
    double loss;       // how much log p of the translation falls when no query may see it
};

/// For each word of the sentence and its <end>: the model translates greedily, then reads its
/// translation again with that word hidden from encoder and decoder alike. Throws UsageError for a
/// word that the model does not know.
std::vector<WordNeed> word_needs(const TranslationModel& model, const std::string& sentence);

}  // namespace bert
