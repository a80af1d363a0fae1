#include "common/text/lenient_utf8.hpp"

namespace bert {

namespace {

struct FirstByte {
    std::size_t bytes;         // of the whole character; 0: begins none
    unsigned char low = 0x80;  // what the second byte can be
    unsigned char high = 0xBF;
};

// The second byte's narrower limits leave out overlong forms, surrogates and what is above
// U+10FFFF.
FirstByte kind_of(unsigned char first) {
    if (first < 0x80) return {1};
    if (first < 0xC2) return {0};
    if (first < 0xE0) return {2};
    if (first < 0xF0) {
        if (first == 0xE0) return {3, 0xA0};
        if (first == 0xED) return {3, 0x80, 0x9F};
        return {3};
    }
    if (first == 0xF0) return {4, 0x90};
    if (first == 0xF4) return {4, 0x80, 0x8F};
    return {first < 0xF4 ? std::size_t{4} : 0};
}

}  // namespace

Utf8Character first_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x80) return {first, 1, false};
    const FirstByte kind = kind_of(first);
    if (kind.bytes == 0) return {replacement_character, 1, true};
    char32_t c = first & (0x7FU >> kind.bytes);
    for (std::size_t i = 1; i < kind.bytes; ++i) {
        const auto next = i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
        const bool fits =
            i == 1 ? next >= kind.low && next <= kind.high : next >= 0x80 && next <= 0xBF;
        if (!fits) return {replacement_character, i, true};
        c = c << 6 | (next & 0x3FU);
    }
    return {c, kind.bytes, false};
}

std::size_t count_bad_utf8(std::string_view text) {
    std::size_t count = 0;
    while (!text.empty()) {
        const Utf8Character next = first_character(text);
        if (next.bad) ++count;
        text.remove_prefix(next.bytes);
    }
    return count;
}

}  // namespace bert
