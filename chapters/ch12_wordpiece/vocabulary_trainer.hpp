// Training a WordPiece vocabulary.
//
// It starts from all characters and joins, step by step, the pair that raises the likelihood of
// the corpus most, where a piece is as likely as it is frequent:
//
//     score(a, b) = n log(n N / (n_a n_b))
//
// Often n / (n_a n_b) is taught instead, the gain of a single place. It prefers what is rare: with
// 6000 pieces from five novels of Jane Austen, a word of her sixth takes 2.5 pieces, and 1.17 when
// pairs that stand in fewer than 36 places are left out; with the gain of all places it takes 1.11,
// and with the count alone, as in byte-pair encoding, 1.10.
//
// Schuster, Nakajima: Japanese and Korean voice search. 2012. Section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/merge.hpp"

namespace bert {

struct VocabularyTraining {
    std::size_t size = 30'522;        // of the vocabulary, special tokens and characters included
    std::uint64_t min_frequency = 2;  // places that a pair stands in
    std::size_t most_characters = 1000;  // different ones, the most frequent
    MergeScore score = MergeScore::likelihood_gain;
    std::vector<std::string> special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
};

constexpr std::size_t most_vocabulary_tokens = 1'000'000;

struct TrainedVocabulary {
    /// Special tokens; characters; ## and characters, both sorted by bytes; merged pieces in the
    /// order in which they were made. Fewer than asked for when no pair was left.
    std::vector<std::string> tokens;
    std::vector<Merge> merges;        // more than pieces where one was made in two ways
    std::size_t too_long = 0;         // different words over 100 characters, left out
    std::size_t rare_characters = 0;  // left out, with the words that hold them
};

/// How many tokens there are, how many were asked for, and what was made last.
using TrainingProgress =
    std::function<void(std::size_t done, std::size_t total, std::string_view note)>;

/// The same for the same counts, on every machine. Pairs with equal scores: first_of_equals. Calls
/// `progress` every 100 merges and at the end; what it throws comes through. Throws UsageError when
/// `size` cannot hold the special tokens and characters or is above most_vocabulary_tokens;
/// std::invalid_argument for no usable word, special tokens that are empty or not different, and as
/// training_words().
TrainedVocabulary train_wordpiece(const WordCounts& words, const VocabularyTraining& options,
                                  const TrainingProgress& progress = {});

}  // namespace bert
