// Which tokens a masked language model has to guess (Devlin et al. 2018, sections 3.1 and A.1).
//
// Of the n tokens of an example, max(1, round(0.15 n)) are chosen, at most max_predictions; never
// [CLS], [SEP] or another special token. Each chosen token is, by a draw of its own,
//
//     80 %   replaced by [MASK]
//     10 %   replaced by a random token of the vocabulary, special ones left out
//     10 %   left as it is
//
// That is one draw of ten, not two draws of 10 % each, which would leave 9 % as they are. A random
// token may happen to be the one that stood there.
//
// With whole words, the pieces of a word (a token and the ##pieces that follow it) are chosen all
// together, or not at all when they no longer fit. Words come in random order.
#pragma once

#include <cstddef>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch15_pretraining/pretraining_example.hpp"
#include "common/random/random.hpp"

namespace bert {

struct MaskingOptions {
    double mask_prob = 0.15;           // in (0, 1)
    std::size_t max_predictions = 20;  // of an example, at least 1
    bool whole_words = false;

    bool operator==(const MaskingOptions&) const = default;
};

/// What masking needs to know of a vocabulary.
struct MaskingVocabulary {
    TokenId mask = 0;
    std::vector<bool> is_special;       // of every id
    std::vector<bool> is_continuation;  // ## pieces
    std::vector<TokenId> ordinary;      // ids that may stand in for a chosen token
};

/// Throws std::invalid_argument, naming the option, what was found and what is expected.
void require_masking_options(const MaskingOptions& options);

/// How many of n tokens are to be guessed: 0.15 n, rounded, from 1 to max_predictions.
std::size_t prediction_count(std::size_t tokens, const MaskingOptions& options);

/// Throws std::invalid_argument for a vocabulary of special tokens alone.
MaskingVocabulary masking_vocabulary(const Tokenizer& tokenizer);

/// Chooses anew: positions and replacements of the example are replaced. Fewer than
/// prediction_count() are chosen only where no more fit. Throws as require_masking_options(), and
/// std::invalid_argument for a token that the vocabulary does not have.
void choose_predictions(PretrainingExample& example, const MaskingVocabulary& vocabulary,
                        const MaskingOptions& options, Random& random);

}  // namespace bert
