// What BERT reads: a batch of token ids, with two more numbers for each of them.
//
// B examples, T positions; shorter examples are padded to the longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

struct BertInput {
    std::size_t batch = 0;                          // B
    std::size_t length = 0;                         // T
    std::vector<std::int64_t> input_ids = {};       // (B, T) rows of the vocabulary
    std::vector<std::int64_t> token_type_ids = {};  // (B, T) 0: first sentence, 1: second
    Tensor attention_mask = {};                     // (B, T) 1: a token, 0: padding
};

/// One example or several of equal length, of one sentence each and without padding. Throws
/// ShapeError unless there are B T ids, B and T at least 1.
BertInput input_of_ids(std::vector<std::int64_t> input_ids, std::size_t batch = 1);

/// Throws ShapeError unless the three have B T numbers, B and T at least 1, and
/// std::invalid_argument for a mask other than 0 and 1.
void require_input(const BertInput& input);

}  // namespace bert
