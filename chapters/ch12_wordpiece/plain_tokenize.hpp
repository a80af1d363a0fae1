// The whole way from text to pieces, one step after the other.
#pragma once

#include <string_view>
#include <vector>

#include "ch12_wordpiece/tokenizer_config.hpp"
#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

namespace bert {

/// A piece of a text and where it stems from.
struct Piece {
    TokenId id;
    std::uint32_t begin;  // [begin, end) in code points of the original text; a part of it that is
    std::uint32_t end;    // not UTF-8 counts as one
    std::int32_t word;    // the number of its word, from 0
    bool operator==(const Piece&) const = default;
};

/// The pieces of a text without special tokens, in the plain form that Tokenizer is proved equal
/// to. Throws std::invalid_argument when the vocabulary lacks the unknown token.
std::vector<Piece> plain_tokenize(std::string_view utf8, const WordPieceVocabulary& vocabulary,
                                  const TokenizerOptions& options = {});

}  // namespace bert
