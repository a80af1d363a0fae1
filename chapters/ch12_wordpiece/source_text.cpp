#include "ch12_wordpiece/source_text.hpp"

#include "common/io/utf8.hpp"
#include "common/text/lenient_utf8.hpp"

namespace bert {

void append_source_text(SourceText& text, std::string_view utf8, std::uint32_t place) {
    while (!utf8.empty()) {
        const Utf8Character next = first_character(utf8);
        text.push_back({next.character, place++});
        utf8.remove_prefix(next.bytes);
    }
}

SourceText source_text(std::string_view utf8) {
    SourceText text;
    append_source_text(text, utf8, 0);
    return text;
}

std::string to_utf8(const SourceText& text) {
    std::string utf8;
    for (const SourceCharacter& c : text)
        append_utf8(utf8, c.character);
    return utf8;
}

}  // namespace bert
