// Examples of different lengths as one batch: the shorter ones are padded at their end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "ch13_bert_input/bert_input.hpp"
#include "ch13_bert_input/encoding.hpp"

namespace bert {

/// A text, or two.
struct TextPair {
    std::string first;
    std::optional<std::string> second = {};
};

/// encode() for each, and then padding as the options say. Throws as encode().
std::vector<Encoding> encode_all(const Tokenizer& tokenizer, std::span<const TextPair> texts,
                                 const EncodingOptions& options = {});

/// Pads every example to the longest.
void pad_to_longest(std::span<Encoding> encodings, TokenId pad_id);

/// The batch (B, T) of B examples, T the length of the longest. Throws ShapeError for no example,
/// for T = 0, and for an example whose lists differ in length; std::invalid_argument for a T above
/// most_padded_length.
BertInput make_batch(std::span<const Encoding> encodings, TokenId pad_id);

}  // namespace bert
