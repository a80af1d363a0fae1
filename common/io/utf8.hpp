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

}  // namespace bert
