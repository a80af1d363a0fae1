#include "ch12_wordpiece/plain_tokenize.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "ch12_wordpiece/greedy_match.hpp"
#include "ch12_wordpiece/normalise.hpp"
#include "ch12_wordpiece/source_text.hpp"
#include "ch12_wordpiece/split_words.hpp"

namespace bert {

namespace {

// The place of each byte's character.
std::vector<std::uint32_t> places_of_bytes(const SourceText& word) {
    std::vector<std::uint32_t> places;
    for (const SourceCharacter& c : word)
        places.insert(places.end(), to_utf8({c}).size(), c.place);
    return places;
}

}  // namespace

std::vector<Piece> plain_tokenize(std::string_view utf8, const WordPieceVocabulary& vocabulary,
                                  const TokenizerOptions& options) {
    const auto unknown = vocabulary.find(options.unknown_token);
    if (!unknown)
        throw std::invalid_argument{"the vocabulary has no token " + options.unknown_token};
    SourceText text = source_text(utf8);
    normalise(text, options);
    std::vector<Piece> pieces;
    std::int32_t number = 0;
    for (const auto& [begin, end] : split_words(text)) {
        const SourceText word(text.begin() + static_cast<std::ptrdiff_t>(begin),
                              text.begin() + static_cast<std::ptrdiff_t>(end));
        const std::vector<std::uint32_t> places = places_of_bytes(word);
        std::vector<WordPart> parts = greedy_match(to_utf8(word), vocabulary);
        if (parts.empty()) parts = {{*unknown, 0, places.size()}};
        for (const WordPart& part : parts)
            pieces.push_back({part.id, places[part.begin], places[part.end - 1] + 1, number});
        ++number;
    }
    return pieces;
}

}  // namespace bert
