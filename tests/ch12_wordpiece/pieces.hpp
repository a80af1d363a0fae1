// Pieces as what the tests compare.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"

namespace bert::test {

using Strings = std::vector<std::string>;
using Ids = std::vector<TokenId>;
using Offsets = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

inline Ids ids_of(const std::vector<Piece>& pieces) {
    Ids ids;
    for (const Piece& piece : pieces)
        ids.push_back(piece.id);
    return ids;
}

inline Offsets offsets_of(const std::vector<Piece>& pieces) {
    Offsets offsets;
    for (const Piece& piece : pieces)
        offsets.emplace_back(piece.begin, piece.end);
    return offsets;
}

inline Strings tokens_of(const Tokenizer& tokenizer, const std::vector<Piece>& pieces) {
    Strings tokens;
    for (const Piece& piece : pieces)
        tokens.push_back(tokenizer.vocabulary().token(piece.id));
    return tokens;
}

}  // namespace bert::test

// What a failed comparison of pieces shows.
template <>
struct Catch::StringMaker<bert::Piece> {
    static std::string convert(const bert::Piece& piece) {
        return std::to_string(piece.id) + " [" + std::to_string(piece.begin) + ", " +
               std::to_string(piece.end) + ") word " + std::to_string(piece.word);
    }
};
