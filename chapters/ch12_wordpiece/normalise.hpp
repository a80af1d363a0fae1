// Steps 1 to 4 in their order.
#pragma once

#include "ch12_wordpiece/source_text.hpp"
#include "ch12_wordpiece/tokenizer_config.hpp"

namespace bert {

/// Cleans a text, sets Chinese characters apart, strips accents and makes letters lower case, each
/// of the last three if the options say so.
void normalise(SourceText& text, const TokenizerOptions& options);

}  // namespace bert
