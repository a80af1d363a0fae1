// Step 1 and 2: a text without what nobody sees, and Chinese characters as words.
#pragma once

#include "ch12_wordpiece/source_text.hpp"

namespace bert {

/// Removes control characters, invisible format characters, private ones and U+FFFD, and makes
/// every other kind of whitespace a blank.
void clean_text(SourceText& text);

/// Puts a blank before and after each Chinese character; both get its place. Japanese kana and
/// Korean Hangul are letters and stay.
void space_chinese(SourceText& text);

}  // namespace bert
