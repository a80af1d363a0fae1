#include "ch12_wordpiece/split_words.hpp"

#include "common/text/unicode.hpp"

namespace bert {

// [next_word]
WordRange next_word(const SourceText& text, std::size_t begin) {
    const auto is = [&text](std::size_t i, int property) {
        return (code_point_properties(text[i].character) & property) != 0;
    };
    std::size_t end = 0;
    // EXERCISE BEGIN 12-next-word
    // STEP blanks        come before the word
    while (begin < text.size() && is(begin, CodePoint::whitespace))
        ++begin;
    // STEP letters       are all that is neither whitespace nor punctuation
    end = begin;
    while (end < text.size() && !is(end, CodePoint::whitespace | CodePoint::punctuation))
        ++end;
    // STEP punctuation   is a word of its own
    if (end == begin && end < text.size()) ++end;
    // STUB: static_cast<void>(is);
    // EXERCISE END
    return {begin, end};
}
// [next_word]

std::vector<WordRange> split_words(const SourceText& text) {
    std::vector<WordRange> words;
    WordRange word = next_word(text, 0);
    for (; word.begin < word.end; word = next_word(text, word.end))
        words.push_back(word);
    return words;
}

}  // namespace bert
