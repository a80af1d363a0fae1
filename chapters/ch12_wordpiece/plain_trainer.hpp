// WordPiece training in its plainest form: count everything, join the best pair, start again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ch12_wordpiece/merge.hpp"

namespace bert {

/// The first merges of a corpus, at most `most`, fewer when no pair is left that stands in
/// `min_frequency` places. Throws std::invalid_argument for a word that is not UTF-8. Takes time in
/// proportion to corpus times merges; train_wordpiece makes the same ones fast.
std::vector<Merge> plain_merges(const WordCounts& words, std::size_t most,
                                MergeScore score = MergeScore::likelihood_gain,
                                std::uint64_t min_frequency = 1);

}  // namespace bert
