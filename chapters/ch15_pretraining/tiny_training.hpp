// A pre-training of seconds, on eight chapters of a novel: small enough to be watched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch15_pretraining/pretraining_step.hpp"

namespace bert {

/// What stands in the place of a chosen token.
enum class Replacement {
    published,    // 80 % [MASK], 10 % a random token, 10 % the token itself
    always_mask,  // [MASK]
    itself,       // the token: as fine-tuning will show it
    random,       // another token
};

struct TinyCorpus {
    Tokenizer tokenizer;
    std::vector<PretrainingExample> train;  // several times over, with other pairs and choices
    std::vector<PretrainingExample> held_out;
};

/// Vocabulary and examples of the excerpt that comes with the project; its last chapter is held
/// out.
TinyCorpus tiny_corpus();

/// An example with the same chosen tokens and other replacements.
PretrainingExample with_replacements(PretrainingExample example, Replacement replacement,
                                     const Tokenizer& tokenizer, Random& random);

/// Two layers of width 64.
BertConfig tiny_config(const TinyCorpus& corpus);
/// 300 steps of 16 examples.
PretrainingOptions tiny_options();

struct TinyTraining {
    Bert bert;
    std::vector<double> losses;  // of each step
};

TinyTraining train_tiny(const TinyCorpus& corpus, Replacement replacement);

/// The losses over the held-out examples, whose chosen tokens are shown so.
PretrainingCounts evaluate_tiny(const Bert& bert, const TinyCorpus& corpus,
                                Replacement replacement);

}  // namespace bert
