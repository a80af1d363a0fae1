// Step 6: a word as pieces of the vocabulary, the longest first.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/word_cutter.hpp"
#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

namespace bert {

/// A token and the bytes [begin, end) of the word that it stands for.
struct WordPart {
    TokenId id;
    std::size_t begin;
    std::size_t end;
};

/// The parts of a word in UTF-8: at each place the longest token that fits, with ## before it
/// everywhere but at the start. Empty when there is none at some place, or when the word is longer
/// than most_word_characters.
std::vector<WordPart> greedy_match(std::string_view word, const WordPieceVocabulary& vocabulary);

}  // namespace bert
