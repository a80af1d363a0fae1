// What a model says for the masks of a text, and whether a text follows another.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "ch14_bert/bert.hpp"

namespace bert {

/// The numbers of the k largest entries, largest first; of equal ones the first in the row first.
/// All of them when k is larger.
std::vector<std::size_t> largest_entries(std::span<const Real> row, std::size_t k);

struct Guess {
    TokenId token;
    double probability;
};

/// For every [MASK] of a text the k most probable tokens. Throws std::logic_error when the model
/// has no vocabulary or no masked language model head, NumericError for logits that are not finite,
/// and as the model.
std::vector<std::vector<Guess>> fill_masks(const PretrainedBert& model, std::string_view text,
                                           std::size_t k);

/// The probability that the second text follows the first. Throws likewise, for the next sentence
/// head.
double probability_of_next(const PretrainedBert& model, std::string_view first,
                           std::string_view second);

}  // namespace bert
