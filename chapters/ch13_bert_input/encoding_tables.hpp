// Encodings as text for a terminal.
#pragma once

#include <string>

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "ch13_bert_input/encoding.hpp"

namespace bert {

/// The tokens with a blank between.
std::string token_line(const Encoding& encoding, const WordPieceVocabulary& vocabulary);

/// Tokens, input_ids, token_type_ids and attention_mask, a line each and a column a token.
std::string list_table(const Encoding& encoding, const WordPieceVocabulary& vocabulary);

/// A line a token: its type, its letters, whether it was added, and its word.
std::string origin_table(const Encoding& encoding, const WordPieceVocabulary& vocabulary);

}  // namespace bert
