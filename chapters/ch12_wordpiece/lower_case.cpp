#include "ch12_wordpiece/lower_case.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/text/unicode.hpp"

namespace bert {

namespace {

constexpr char32_t dotted_capital_i = 0x130;

bool any(const SourceText& text, int properties) {
    return std::any_of(text.begin(), text.end(), [properties](const SourceCharacter& c) {
        return (code_point_properties(c.character) & properties) != 0;
    });
}

// A character on its way through the decomposition.
struct Part {
    char32_t character;
    std::uint8_t combining_class;
    bool further;  // not the first that came of its character
};

// Sorts by combining class, equal ones as they stand: counting, so that a million marks on one
// letter take no longer than a million letters.
void sort_marks(std::span<Part> marks) {
    const auto by_class = [](const Part& a, const Part& b) {
        return a.combining_class < b.combining_class;
    };
    if (std::is_sorted(marks.begin(), marks.end(), by_class)) return;
    std::array<std::size_t, 257> begin_of{};
    for (const Part& mark : marks)
        ++begin_of[mark.combining_class + 1U];
    for (std::size_t k = 1; k < begin_of.size(); ++k)
        begin_of[k] += begin_of[k - 1];
    std::vector<Part> sorted(marks.size());
    for (const Part& mark : marks)
        sorted[begin_of[mark.combining_class]++] = mark;
    std::copy(sorted.begin(), sorted.end(), marks.begin());
}

std::vector<Part> parts_of(const SourceText& text) {
    std::vector<Part> parts;
    parts.reserve(text.size());
    std::u32string decomposition;
    for (const SourceCharacter& c : text) {
        decomposition.clear();
        append_decomposition(decomposition, c.character);
        for (std::size_t i = 0; i < decomposition.size(); ++i)
            parts.push_back({decomposition[i], combining_class(decomposition[i]), i > 0});
    }
    return parts;
}

// U+0130 as I and a dot: the one letter that is two in lower case.
void decompose_dotted_capital(SourceText& text) {
    const auto is_dotted = [](const SourceCharacter& c) { return c.character == dotted_capital_i; };
    if (std::none_of(text.begin(), text.end(), is_dotted)) return;
    SourceText decomposed;
    for (const SourceCharacter& c : text) {
        decomposed.push_back({is_dotted(c) ? U'I' : c.character, c.place});
        if (is_dotted(c)) decomposed.push_back({U'\u0307', c.place});
    }
    text = std::move(decomposed);
}

}  // namespace

void decompose(SourceText& text) {
    if (!any(text, CodePoint::decomposes | CodePoint::combining)) return;
    std::vector<Part> parts = parts_of(text);
    const auto is_letter = [](const Part& part) { return part.combining_class == 0; };
    for (auto begin = parts.begin(); begin != parts.end();) {
        begin = std::find_if_not(begin, parts.end(), is_letter);
        const auto end = std::find_if(begin, parts.end(), is_letter);
        sort_marks({begin, end});
        begin = end;
    }
    std::size_t left = text.size();  // characters whose first part is not met yet
    text.resize(parts.size());
    for (std::size_t i = parts.size(); i-- > 0;) {  // from the end: left <= i + 1
        text[i] = {parts[i].character, text[left - 1].place};
        if (!parts[i].further) --left;
    }
}

// [strip_accents]
void strip_accents(SourceText& text) {
    decompose(text);
    std::erase_if(text, [](const SourceCharacter& c) {
        return (code_point_properties(c.character) & CodePoint::nonspacing_mark) != 0;
    });
}
// [strip_accents]

// [lower_case]
void lower_case(SourceText& text) {
    decompose_dotted_capital(text);
    for (SourceCharacter& c : text)
        c.character = lower_case_of(c.character);
}
// [lower_case]

}  // namespace bert
