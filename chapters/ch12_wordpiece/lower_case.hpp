// Step 3 and 4: letters without their accents, in lower case.
#pragma once

#include "ch12_wordpiece/source_text.hpp"

namespace bert {

/// Takes characters apart into letters and marks (canonical decomposition, NFD): the marks of a
/// letter in the order of their combining classes. What comes of one character has its place; where
/// marks change places, the places do not, so that they never go back.
void decompose(SourceText& text);

/// decompose(), then removes nonspacing marks: e with an acute accent is e, and a vowel
/// sign that has a width of its own stays.
void strip_accents(SourceText& text);

/// Lower case, letter by letter: without regard to what stands beside it, so that a final sigma is
/// no other letter.
void lower_case(SourceText& text);

}  // namespace bert
