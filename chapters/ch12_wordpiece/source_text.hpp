// Text whose characters know where they come from.
//
// The steps that clean a text remove, merge and add characters. Each character carries its place in
// the text as the user gave it, so that a piece can be pointed at there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

struct SourceCharacter {
    char32_t character;   // a code point
    std::uint32_t place;  // of the code point of the original text that it stems from
};

using SourceText = std::vector<SourceCharacter>;

/// The code points of a text, with places from 0. A part that is not UTF-8 is one U+FFFD.
SourceText source_text(std::string_view utf8);

/// Appends the code points of a text to one whose next code point has this place.
void append_source_text(SourceText& text, std::string_view utf8, std::uint32_t place);

std::string to_utf8(const SourceText& text);

}  // namespace bert
