#include "ch12_wordpiece/blanks.hpp"

#include "common/text/lenient_utf8.hpp"
#include "common/text/unicode.hpp"

namespace bert {

namespace {

// Vertical tab, form feed and next line are blanks here, and controls elsewhere.
bool is_blank(char32_t c) {
    return c == 0x0B || c == 0x0C || c == 0x85 ||
           (code_point_properties(c) & CodePoint::whitespace) != 0;
}

// The bytes of the blank that a text ends with; 0: it ends with none.
std::size_t last_blank(std::string_view text) {
    for (std::size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes) {
        const Utf8Character last = first_character(text.substr(text.size() - bytes));
        if (last.bytes == bytes && is_blank(last.character)) return bytes;
    }
    return 0;
}

}  // namespace

std::size_t blank_bytes_at_start(std::string_view text) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const Utf8Character next = first_character(text.substr(bytes));
        if (!is_blank(next.character)) break;
        bytes += next.bytes;
    }
    return bytes;
}

std::uint32_t blanks_at_end(std::string_view text) {
    std::uint32_t count = 0;
    while (const std::size_t bytes = last_blank(text)) {
        text.remove_suffix(bytes);
        ++count;
    }
    return count;
}

}  // namespace bert
