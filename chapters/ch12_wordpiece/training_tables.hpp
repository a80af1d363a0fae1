// What training does to a tiny corpus, as the tables of the lesson.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ch12_wordpiece/merge.hpp"

namespace bert {

/// The words of section 3.2 of Sennrich et al.: low 5 times, lower 2, newest 6, widest 3.
WordCounts tiny_corpus();

/// A line a merge: its pair, the four counts, its score, and the piece that it makes.
std::string merges_table(const std::vector<Merge>& merges);

/// A line a step: the piece that the likelihood gain, the ratio, and byte-pair encoding make.
std::string three_trainers_table(const WordCounts& words, std::size_t steps);

/// A line a word: its pieces after as many merges, as WordPiece and as byte-pair encoding.
std::string two_encodings_table(const WordCounts& words, std::size_t merges,
                                const std::vector<std::string>& to_encode);

}  // namespace bert
