#include "ch12_wordpiece/greedy_match.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace bert {

namespace {

// Each character has one byte that is not 10xxxxxx.
std::size_t characters(std::string_view utf8) {
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

// [longest_piece]
// The longest token at the start of `rest`, with ## before it if it continues a word.
WordPart longest_piece(std::string_view rest, bool continues,
                       const WordPieceVocabulary& vocabulary) {
    for (std::size_t length = rest.size(); length > 0; --length) {
        std::string candidate{continues ? continuation_mark : ""};
        candidate += rest.substr(0, length);
        if (const auto id = vocabulary.find(candidate)) return {*id, 0, length};
    }
    return {-1, 0, 0};
}
// [longest_piece]

}  // namespace

// [greedy_match]
std::vector<WordPart> greedy_match(std::string_view word, const WordPieceVocabulary& vocabulary) {
    std::vector<WordPart> parts;
    if (characters(word) > most_word_characters) return parts;
    // EXERCISE BEGIN 12-greedy-match
    for (std::size_t at = 0; at < word.size();) {
        // STEP longest   piece at the start of what is left of the word
        const WordPart piece = longest_piece(word.substr(at), at > 0, vocabulary);
        // STEP gap       where there is none, the word has no pieces at all
        if (piece.end == 0) return {};
        // STEP part      its bytes of the word, and on behind it
        parts.push_back({piece.id, at, at + piece.end});
        at += piece.end;
    }
    // STUB: static_cast<void>(vocabulary); static_cast<void>(longest_piece);
    // EXERCISE END
    return parts;
}
// [greedy_match]

}  // namespace bert
