#include "common/text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "common/text/unicode_exceptions.hpp"

namespace bert {

namespace {

constexpr char32_t end_of_unicode = 0x110000;

// As Hugging Face's normaliser lists them: its fifth range begins 256 code points after the block
// of Unicode that it means (U+2B820).
constexpr std::array<CodePointRange, 7> chinese_blocks = {{{0x3400, 0x4DBF},
                                                           {0x4E00, 0x9FFF},
                                                           {0xF900, 0xFAFF},
                                                           {0x20000, 0x2A6DF},
                                                           {0x2A700, 0x2B81F},
                                                           {0x2B920, 0x2CEAF},
                                                           {0x2F800, 0x2FA1F}}};

bool is_ascii_symbol(char32_t c) {
    return (c > 0x20 && c < 0x30) || (c > 0x39 && c < 0x41) || (c > 0x5A && c < 0x61) ||
           (c > 0x7A && c < 0x7F);
}

// Four code points are the longest decomposition of one.
using Decomposition = std::array<utf8proc_int32_t, 8>;

std::size_t decompose(char32_t c, Decomposition& result) {
    int boundary = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(c), result.data(),
        static_cast<utf8proc_ssize_t>(result.size()), UTF8PROC_DECOMPOSE, &boundary);
    return static_cast<std::size_t>(count);
}

unsigned properties_of_category(utf8proc_category_t category, char32_t c) {
    if (c == '\t' || c == '\n' || c == '\r') return CodePoint::whitespace;
    if (c == 0xFFFD) return CodePoint::control;
    if (is_ascii_symbol(c)) return CodePoint::punctuation;
    switch (category) {
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return CodePoint::whitespace;
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CO:
            return CodePoint::control;
        case UTF8PROC_CATEGORY_PC:
        case UTF8PROC_CATEGORY_PD:
        case UTF8PROC_CATEGORY_PS:
        case UTF8PROC_CATEGORY_PE:
        case UTF8PROC_CATEGORY_PI:
        case UTF8PROC_CATEGORY_PF:
        case UTF8PROC_CATEGORY_PO:
            return CodePoint::punctuation;
        case UTF8PROC_CATEGORY_MN:
            return CodePoint::nonspacing_mark;
        default:
            return 0;
    }
}

std::uint8_t properties_by_utf8proc(char32_t c) {
    const auto point = static_cast<utf8proc_int32_t>(c);
    const utf8proc_property_t& known = *utf8proc_get_property(point);
    unsigned result = properties_of_category(static_cast<utf8proc_category_t>(known.category), c);
    Decomposition parts{};
    if (c >= 0x80 && (decompose(c, parts) != 1 || parts[0] != point))
        result |= CodePoint::decomposes;
    if (known.combining_class != 0) result |= CodePoint::combining;
    if (utf8proc_tolower(point) != point) result |= CodePoint::upper_case;
    return static_cast<std::uint8_t>(result);
}

void add(std::vector<std::uint8_t>& table, std::span<const CodePointRange> ranges, unsigned set,
         unsigned clear = 0) {
    for (const auto& [first, last] : ranges) {
        for (char32_t c = first; c <= last; ++c)
            table[c] = static_cast<std::uint8_t>((table[c] & ~clear) | set);
    }
}

std::vector<std::uint8_t> property_table() {
    std::vector<std::uint8_t> table(end_of_unicode);
    for (char32_t c = 0; c < end_of_unicode; ++c)
        table[c] = properties_by_utf8proc(c);
    constexpr std::array<CodePointRange, 1> surrogates = {{{0xD800, 0xDFFF}}};
    const UnicodeExceptions& exceptions = unicode_exceptions();
    add(table, surrogates, 0, 0xFF);
    add(table, exceptions.plain, 0, 0xFF);
    add(table, exceptions.not_marks, 0, CodePoint::nonspacing_mark);
    add(table, exceptions.marks, CodePoint::nonspacing_mark);
    add(table, exceptions.punctuation, CodePoint::punctuation);
    add(table, chinese_blocks, CodePoint::chinese);
    for (const auto& [from, to] : exceptions.lower)
        table[from] |= CodePoint::upper_case;
    return table;
}

}  // namespace

std::uint8_t code_point_properties(char32_t c) {
    static const std::vector<std::uint8_t> table = property_table();
    return c < end_of_unicode ? table[c] : std::uint8_t{0};
}

std::uint8_t combining_class(char32_t c) {
    if ((code_point_properties(c) & CodePoint::combining) == 0) return 0;
    return static_cast<std::uint8_t>(
        utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class);
}

void append_decomposition(std::u32string& text, char32_t c) {
    if ((code_point_properties(c) & CodePoint::decomposes) == 0) {
        text += c;
        return;
    }
    Decomposition parts{};
    const std::size_t count = decompose(c, parts);
    for (std::size_t i = 0; i < count; ++i)
        text += static_cast<char32_t>(parts[i]);
}

char32_t lower_case_of(char32_t c) {
    if ((code_point_properties(c) & CodePoint::upper_case) == 0) return c;
    const auto& pairs = unicode_exceptions().lower;
    const auto pair =
        std::lower_bound(pairs.begin(), pairs.end(), c,
                         [](const CodePointPair& one, char32_t point) { return one.from < point; });
    if (pair != pairs.end() && pair->from == c) return pair->to;
    return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

}  // namespace bert
