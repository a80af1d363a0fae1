#include "common/io/utf8.hpp"

#include <cstddef>

namespace bert {

namespace {

// The bytes of a form, from its first byte; 0 for a byte that starts none.
std::size_t form_length(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;
    if (first >= 0xE0 && first < 0xF0) return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

bool is_scalar(char32_t c) {
    return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF);
}

}  // namespace

std::optional<std::u32string> utf8_to_code_points(std::string_view text) {
    std::u32string code_points;
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const std::size_t length = form_length(first);
        if (length == 0 || length > text.size()) return std::nullopt;
        char32_t c = length == 1 ? first : first & (0x7FU >> length);
        for (std::size_t i = 1; i < length; ++i) {
            const auto next = static_cast<unsigned char>(text[i]);
            if ((next & 0xC0U) != 0x80U) return std::nullopt;
            c = c << 6 | (next & 0x3FU);
        }
        const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
        if (overlong || !is_scalar(c)) return std::nullopt;
        code_points += c;
        text.remove_prefix(length);
    }
    return code_points;
}

bool append_utf8(std::string& text, char32_t c) {
    if (!is_scalar(c)) return false;
    const auto byte = [&](char32_t mark, char32_t bits) {
        text += static_cast<char>(static_cast<unsigned char>(mark | bits));
    };
    if (c < 0x80) {
        byte(0, c);
    } else if (c < 0x800) {
        byte(0xC0, c >> 6);
        byte(0x80, c & 0x3F);
    } else if (c < 0x10000) {
        byte(0xE0, c >> 12);
        byte(0x80, c >> 6 & 0x3F);
        byte(0x80, c & 0x3F);
    } else {
        byte(0xF0, c >> 18);
        byte(0x80, c >> 12 & 0x3F);
        byte(0x80, c >> 6 & 0x3F);
        byte(0x80, c & 0x3F);
    }
    return true;
}

bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0xFEFF;
}

}  // namespace bert
