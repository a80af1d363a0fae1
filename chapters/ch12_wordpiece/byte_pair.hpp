// Byte-pair encoding, the other way to make a vocabulary of pieces: join the commonest pair.
//
// Sennrich, Haddow, Birch: Neural machine translation of rare words with subword units. 2016,
// section 3.2. What continues a word has no mark; what ends it has: "low" is "l" "o" "w</w>".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/merge.hpp"

namespace bert {

constexpr std::string_view word_end = "</w>";

struct BytePairMerge {
    std::string left;
    std::string right;
    std::uint64_t count = 0;  // places where left stands before right
};

/// The first merges of a corpus, at most `most`; of equally frequent pairs the one whose joined
/// piece has the smaller bytes, and of these the one with the shorter left part. Throws
/// std::invalid_argument for a word that is not UTF-8.
std::vector<BytePairMerge> byte_pair_merges(const WordCounts& words, std::size_t most);

/// The pieces of a word: its characters, joined by the merges in the order in which they were made.
/// Throws std::invalid_argument for a word that is not UTF-8.
std::vector<std::string> byte_pair_encode(std::string_view word,
                                          const std::vector<BytePairMerge>& merges);

}  // namespace bert
