#include "ch12_wordpiece/clean_text.hpp"

#include <algorithm>
#include <utility>

#include "common/text/unicode.hpp"

namespace bert {

// [clean_text]
void clean_text(SourceText& text) {
    std::erase_if(text, [](const SourceCharacter& c) {
        return (code_point_properties(c.character) & CodePoint::control) != 0;
    });
    for (SourceCharacter& c : text) {
        if ((code_point_properties(c.character) & CodePoint::whitespace) != 0) c.character = U' ';
    }
}
// [clean_text]

// [space_chinese]
void space_chinese(SourceText& text) {
    const auto is_chinese = [](const SourceCharacter& c) {
        return (code_point_properties(c.character) & CodePoint::chinese) != 0;
    };
    if (std::none_of(text.begin(), text.end(), is_chinese)) return;
    SourceText spaced;
    for (const SourceCharacter& c : text) {
        if (is_chinese(c)) spaced.push_back({U' ', c.place});
        spaced.push_back(c);
        if (is_chinese(c)) spaced.push_back({U' ', c.place});
    }
    text = std::move(spaced);
}
// [space_chinese]

}  // namespace bert
