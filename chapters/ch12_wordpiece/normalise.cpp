#include "ch12_wordpiece/normalise.hpp"

#include "ch12_wordpiece/clean_text.hpp"
#include "ch12_wordpiece/lower_case.hpp"

namespace bert {

// [normalise]
void normalise(SourceText& text, const TokenizerOptions& options) {
    clean_text(text);
    if (options.space_chinese) space_chinese(text);
    if (options.strip_accents.value_or(options.lower_case)) strip_accents(text);
    if (options.lower_case) lower_case(text);
}
// [normalise]

}  // namespace bert
