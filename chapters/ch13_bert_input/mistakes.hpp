// Inputs that look right and are wrong.
#pragma once

#include <cstddef>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch13_bert_input/bert_input.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Cuts an example, special tokens and all, after `length` tokens: [SEP] goes first.
Encoding cut_off(Encoding encoding, std::size_t length);

/// The third argument in the place of the second: token types as attention mask, so that of a pair
/// nobody sees the first text.
BertInput types_as_mask(BertInput input);

/// Padding like any other token.
BertInput all_visible(BertInput input);

/// Who looks at whom: softmax(x x^T / sqrt(D)) under the input's attention mask, for x (B, T, D);
/// (B, T, T). Throws ShapeError when x does not fit the input.
Tensor who_looks_at_whom(const Tensor& x, const BertInput& input);

}  // namespace bert
