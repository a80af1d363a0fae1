// What Unicode knows of a code point, as far as the text of a BERT model needs it.
//
// The answers are those of Hugging Face's tokenizers for each of the 1,112,064 code points:
// utf8proc and the table of exceptions (unicode_exceptions.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace bert {

/// Properties of a code point, to be combined with |.
struct CodePoint {
    enum Property : std::uint8_t {
        whitespace = 1,        // categories Z*; tab, line feed, carriage return
        control = 2,           // categories Cc, Cf, Co without those three; U+FFFD
        chinese = 4,           // the blocks of ideographs; not kana, not Hangul
        punctuation = 8,       // categories P*; ASCII symbols
        nonspacing_mark = 16,  // category Mn
        decomposes = 32,       // has a canonical decomposition
        combining = 64,        // has a canonical combining class above 0
        upper_case = 128,      // has another lower case
    };
};

/// The properties of a code point; none for what is above U+10FFFF or a surrogate.
std::uint8_t code_point_properties(char32_t c);

/// 0 for a letter that starts a new group of letter and marks, otherwise the place that a mark has
/// among those of its letter.
std::uint8_t combining_class(char32_t c);

/// Appends the full canonical decomposition (NFD): U+01DC is u, U+0308, U+0300. A code point
/// without one is appended as it is.
void append_decomposition(std::u32string& text, char32_t c);

/// The lower case. That of U+0130 is two code points, i and U+0307; this is the first.
char32_t lower_case_of(char32_t c);

}  // namespace bert
