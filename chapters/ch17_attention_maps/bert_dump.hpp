// The dump of a BERT: its maps, and everything that its tokenizer knows of the tokens.
#pragma once

#include <span>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// layers of (B, H, T, T), as BertOutput::attentions has them, and the B encodings that were read,
/// padded to one length T. Fills in tokens, their numbers (ids, types, masks, words, offsets), the
/// special tokens, where second sentences begin, and that padding is hidden; text and model are the
/// caller's to fill in. Throws ShapeError when layers and encodings do not fit each other, and as
/// validate() and tokens_of() do.
AttentionDump bert_dump(const std::vector<Tensor>& layers, std::span<const Encoding> encodings,
                        const Tokenizer& tokenizer);

}  // namespace bert
