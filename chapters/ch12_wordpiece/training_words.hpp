// The words of a corpus as the trainer takes them: sequences of numbered pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ch12_wordpiece/merge.hpp"

namespace bert {

using PieceNumber = std::uint32_t;

constexpr std::uint64_t most_places = std::uint64_t{1} << 40U;  // pieces in all words together

struct TrainingWords {
    /// Sorted by bytes: every character, then ## and every character of a word of two or more. So
    /// any order of characters seen can be written.
    std::vector<std::string> alphabet;
    std::vector<std::vector<PieceNumber>> words;  // places of the alphabet
    std::vector<std::uint64_t> counts;            // how often each word occurs
    std::uint64_t places = 0;                     // counts times lengths
    std::size_t too_long = 0;                     // different words of over most_word_characters
    std::size_t rare_characters = 0;              // left out, and the words that hold them
};

/// Cuts words into characters. Of more than `most_characters` different ones the most frequent
/// stay, of equally frequent ones those with the smaller bytes. Throws std::invalid_argument for a
/// word that is empty, not UTF-8 or starts with ##, and for more than most_places.
TrainingWords training_words(const WordCounts& words, std::size_t most_characters);

}  // namespace bert
