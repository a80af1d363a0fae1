// UTF-8 and code points.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bert {

/// The code points of UTF-8 text; nothing unless it is well formed: no overlong form, no
/// surrogate, nothing above U+10FFFF.
std::optional<std::u32string> utf8_to_code_points(std::string_view text);

/// Appends the UTF-8 form of a code point; false, and nothing appended, when it has none.
bool append_utf8(std::string& text, char32_t code_point);

/// Whether a code point is no character of a line of text but a command to what shows it: the
/// control characters, and the invisible marks that turn the direction of writing or separate
/// lines.
bool is_control(char32_t c);

}  // namespace bert
