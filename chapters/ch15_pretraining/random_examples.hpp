// Examples of random tokens: for timing, and for tests of what does not look at the text.
#pragma once

#include <cstddef>
#include <vector>

#include "ch15_pretraining/pretraining_example.hpp"
#include "common/random/random.hpp"

namespace bert {

/// `count` examples of `length` tokens of a vocabulary of `vocab_size`, with `predictions` chosen
/// tokens each, every other B from another document. Throws std::invalid_argument unless length is
/// at least 5, predictions at most length - 3, and the vocabulary has 6 tokens.
std::vector<PretrainingExample> random_examples(Random& random, std::size_t count,
                                                std::size_t length, std::size_t predictions,
                                                std::size_t vocab_size);

}  // namespace bert
