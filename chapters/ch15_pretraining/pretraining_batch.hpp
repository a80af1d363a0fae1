// Examples side by side, as the model and the two losses read them.
//
// B examples, T positions, N chosen tokens of all examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ch13_bert_input/bert_input.hpp"
#include "ch15_pretraining/pretraining_example.hpp"

namespace bert {

struct PretrainingBatch {
    BertInput input;                        // (B, T), replacements in their places
    std::vector<std::int64_t> places;       // N rows of the (B T, D) hidden states, ascending
    std::vector<std::int64_t> labels;       // N tokens that stood there
    std::vector<std::int64_t> next_labels;  // B of is_next_label, random_next_label
};

/// T is the length of the longest. Throws std::invalid_argument for no example, and for one whose
/// positions do not fit it.
PretrainingBatch make_pretraining_batch(std::span<const PretrainingExample> examples,
                                        TokenId pad_id);

}  // namespace bert
