// Text of unknown origin, made safe to show in a picture or a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

/// The code points of UTF-8 text; a byte that is no part of valid UTF-8 becomes '?'.
std::u32string repaired_code_points(std::string_view text);

/// Valid UTF-8 in which every character can be seen: controls, line and paragraph separators,
/// and the marks that reorder a line or take no room are written as "\x1B" or "\u202E".
std::string visible_text(std::string_view text);

/// The same with '?' for each character outside ASCII.
std::string visible_ascii(std::string_view text);

/// Columns that the text takes in a terminal: two for East Asian wide characters and emoji, none
/// for combining marks.
std::size_t display_width(std::string_view text);

/// Text of at most `width` columns: cut, with `mark` at the end, when it is wider.
std::string shortened(std::string_view text, std::size_t width, std::string_view mark);

/// The text's characters one by one, each with the combining marks that follow it.
std::vector<std::string> letters_of(std::string_view text);

}  // namespace bert
