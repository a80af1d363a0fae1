// Where the Unicode tables of Hugging Face's tokenizers differ from those of utf8proc.
//
// Theirs stand still at the versions that the first checkpoints were used with; those of utf8proc
// follow Unicode. Code points that utf8proc 2.8 does not know are among the exceptions, so that a
// later version of it changes nothing.
#pragma once

#include <span>

namespace bert {

struct CodePointRange {
    char32_t first;
    char32_t last;
};

struct CodePointPair {
    char32_t from;
    char32_t to;
};

struct UnicodeExceptions {
    std::span<const CodePointRange> plain;        // have no property, no decomposition
    std::span<const CodePointRange> not_marks;    // nonspacing marks that are not taken for such
    std::span<const CodePointRange> marks;        // and others that are
    std::span<const CodePointRange> punctuation;  // punctuation that utf8proc does not take for it
    std::span<const CodePointPair> lower;         // lower case
};

const UnicodeExceptions& unicode_exceptions();

}  // namespace bert
