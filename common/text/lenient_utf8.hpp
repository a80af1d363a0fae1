// UTF-8 of unknown origin, read to its end whatever it holds.
#pragma once

#include <cstddef>
#include <string_view>

namespace bert {

/// What stands in for bytes that are not UTF-8.
constexpr char32_t replacement_character = 0xFFFD;

struct Utf8Character {
    char32_t character;  // U+FFFD for a bad part
    std::size_t bytes;   // that it takes: 1 to 4
    bool bad;            // not UTF-8: these bytes begin no character
};

/// The first character of a text that is not empty. A bad part is as long as it could still have
/// become a character, at least one byte: the rule of Unicode that Python's errors="replace"
/// follows too.
Utf8Character first_character(std::string_view text);

/// How many bad parts a text has.
std::size_t count_bad_utf8(std::string_view text);

}  // namespace bert
