// Step 5: a clean text as words.
#pragma once

#include <cstddef>
#include <vector>

#include "ch12_wordpiece/source_text.hpp"

namespace bert {

/// The characters [begin, end) of a text.
struct WordRange {
    std::size_t begin;
    std::size_t end;
};

/// The first word at or after `begin`; empty at the end of the text.
WordRange next_word(const SourceText& text, std::size_t begin);

/// The words between whitespace; each punctuation character is a word of its own.
std::vector<WordRange> split_words(const SourceText& text);

}  // namespace bert
