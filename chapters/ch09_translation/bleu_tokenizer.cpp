// The tokenizer of mteval-v13a, as sacreBLEU has it: four replacements, one after the other.
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ch09_translation/bleu.hpp"
#include "common/io/utf8.hpp"

namespace bert {

namespace {

using Text = std::u32string;

bool is_digit(char32_t c) {
    return c >= U'0' && c <= U'9';
}

bool is_point(char32_t c) {
    return c == U'.' || c == U',';
}

// ASCII signs but ' - . and ,
bool stands_alone(char32_t c) {
    return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') || (c >= U' ' && c <= U'&') ||
           (c >= U'(' && c <= U'+') || (c >= U':' && c <= U'@') || c == U'/';
}

// What Python's str.split() splits at.
bool is_blank(char32_t c) {
    return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

Text replace_all(const Text& text, std::u32string_view what, std::u32string_view with) {
    Text result;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t found = text.find(what, begin);
        result.append(text, begin, found - begin);
        if (found == Text::npos) return result;
        result.append(with);
        begin = found + what.size();
    }
}

Text separate_signs(const Text& text) {
    Text result;
    for (const char32_t c : text) {
        if (stands_alone(c)) result += U' ';
        result += c;
        if (stands_alone(c)) result += U' ';
    }
    return result;
}

// Copies the text, with blanks put into each pair of neighbours for which `matches` holds; pairs do
// not overlap, the first from the left wins. Blanks: before, between and after the two.
Text separate_pairs(const Text& text, auto matches, std::array<bool, 3> blanks) {
    Text result;
    const auto append_blank = [&](std::size_t place) {
        if (blanks[place]) result += U' ';
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 1 == text.size() || !matches(text[i], text[i + 1])) {
            result += text[i];
            continue;
        }
        append_blank(0);
        result += text[i];
        append_blank(1);
        result += text[++i];
        append_blank(2);
    }
    return result;
}

std::vector<std::string> split(const Text& text) {
    std::vector<std::string> words;
    bool inside = false;
    for (const char32_t c : text) {
        const bool blank = is_blank(c);
        if (!blank && !inside) words.emplace_back();
        if (!blank) append_utf8(words.back(), c);
        inside = !blank;
    }
    return words;
}

}  // namespace

std::vector<std::string> tokenize_13a(const std::string& utf8) {
    std::optional<Text> code_points = utf8_to_code_points(utf8);
    if (!code_points) throw std::invalid_argument{"tokenize_13a: the text is not UTF-8"};
    Text text = std::move(*code_points);
    while (!text.empty() && is_blank(text.back()))
        text.pop_back();
    constexpr std::array<std::array<std::u32string_view, 2>, 7> replacements = {
        {{U"<skipped>", U""},
         {U"-\n", U""},
         {U"\n", U" "},
         {U"&quot;", U"\""},
         {U"&amp;", U"&"},
         {U"&lt;", U"<"},
         {U"&gt;", U">"}}};
    for (const auto& [what, with] : replacements)
        text = replace_all(text, what, with);
    text = separate_signs(U' ' + text + U' ');
    text = separate_pairs(text, [](char32_t a, char32_t b) { return !is_digit(a) && is_point(b); },
                          {false, true, true});
    text = separate_pairs(text, [](char32_t a, char32_t b) { return is_point(a) && !is_digit(b); },
                          {true, true, false});
    text = separate_pairs(text, [](char32_t a, char32_t b) { return is_digit(a) && b == U'-'; },
                          {false, true, true});
    return split(text);
}

}  // namespace bert
