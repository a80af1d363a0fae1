// One example of pre-training (Devlin et al. 2018, sections 3.1 and A.1): two segments of text, and
// which of their tokens are to be guessed.
//
//     tokens         [CLS]  the   cat   sat  [SEP]  it   slept  .   [SEP]
//     token types      0     0     0     0     0     1     1    1     1
//     positions                    2                       6               chosen, 15 % of all
//     replacements               [MASK]                 [MASK]             80 % [MASK], 10 %
//     random,
//                                                                          10 % left as it is
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

namespace bert {

/// The published checkpoints' labels of the next sentence head. The documents write 1 for "next";
/// every checkpoint, Hugging Face's NextSentenceLabel included, has them the other way round.
constexpr std::int64_t is_next_label = 0;
constexpr std::int64_t random_next_label = 1;

struct PretrainingExample {
    std::vector<TokenId> tokens;           // [CLS] A [SEP] B [SEP], as they stand in the text
    std::size_t first_length = 0;          // of [CLS] A [SEP]: token type 0; the rest has type 1
    bool is_random_next = false;           // B is from another document
    std::vector<std::uint32_t> positions;  // of the chosen tokens, ascending
    std::vector<TokenId> replacements;     // what the model reads there instead

    bool operator==(const PretrainingExample&) const = default;
};

/// The tokens with the replacements in their places: what the model reads.
std::vector<TokenId> masked_tokens(const PretrainingExample& example);

}  // namespace bert
