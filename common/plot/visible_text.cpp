#include "common/plot/visible_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/io/utf8.hpp"

namespace bert {

namespace {

using Range = std::pair<char32_t, char32_t>;

template <std::size_t N>
bool is_in(char32_t c, const std::array<Range, N>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [c](const Range& range) { return range.first <= c && c <= range.second; });
}

// Controls; joiners and direction marks; separators and direction controls; direction isolates
// and invisible operators; byte order mark; what XML does not allow; tag characters.
constexpr std::array<Range, 10> unseen{{{0x00, 0x1F},
                                        {0x7F, 0x9F},
                                        {0xAD, 0xAD},
                                        {0x61C, 0x61C},
                                        {0x200B, 0x200F},
                                        {0x2028, 0x202E},
                                        {0x2060, 0x206F},
                                        {0xFEFF, 0xFEFF},
                                        {0xFFF9, 0xFFFF},
                                        {0xE0000, 0xE0FFF}}};
constexpr std::array<Range, 6> combining{{{0x300, 0x36F},
                                          {0x1AB0, 0x1AFF},
                                          {0x1DC0, 0x1DFF},
                                          {0x20D0, 0x20FF},
                                          {0xFE00, 0xFE0F},
                                          {0xFE20, 0xFE2F}}};
constexpr std::array<Range, 11> wide{{{0x1100, 0x115F},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0xA4CF},
                                      {0xA960, 0xA97C},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0xFFE0, 0xFFE6},
                                      {0x1F300, 0x1FAFF},
                                      {0x20000, 0x3FFFD}}};

// The first code point of the text and its bytes.
std::pair<char32_t, std::size_t> first_code_point(std::string_view text) {
    for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
        if (const auto points = utf8_to_code_points(text.substr(0, length))) {
            return {points->front(), length};
        }
    }
    return {U'?', 1};
}

std::size_t width_of(char32_t c) {
    if (is_in(c, combining)) return 0;
    return is_in(c, wide) ? 2 : 1;
}

}  // namespace

std::u32string repaired_code_points(std::string_view text) {
    std::u32string points;
    while (!text.empty()) {
        const auto [c, length] = first_code_point(text);
        points += c;
        text.remove_prefix(length);
    }
    return points;
}

std::string visible_text(std::string_view text) {
    std::string visible;
    for (const char32_t c : repaired_code_points(text)) {
        if (!is_in(c, unseen)) {
            append_utf8(visible, c);
        } else if (c < 0x100) {
            visible += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
        } else {
            visible += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        }
    }
    return visible;
}

std::string visible_ascii(std::string_view text) {
    std::string ascii;
    for (const char32_t c : repaired_code_points(visible_text(text))) {
        ascii += c < 0x80 ? static_cast<char>(c) : '?';
    }
    return ascii;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (const char32_t c : repaired_code_points(text))
        width += width_of(c);
    return width;
}

std::string shortened(std::string_view text, std::size_t width, std::string_view mark) {
    if (display_width(text) <= width) return std::string{text};
    const std::size_t mark_width = display_width(mark);
    if (width < mark_width) return {};
    std::string kept;
    std::size_t used = mark_width;
    for (const char32_t c : repaired_code_points(text)) {
        used += width_of(c);
        if (used > width) break;
        append_utf8(kept, c);
    }
    return kept + std::string{mark};
}

std::vector<std::string> letters_of(std::string_view text) {
    std::vector<std::string> letters;
    for (const char32_t c : repaired_code_points(text)) {
        if (letters.empty() || width_of(c) > 0) letters.emplace_back();
        append_utf8(letters.back(), c);
    }
    return letters;
}

}  // namespace bert
