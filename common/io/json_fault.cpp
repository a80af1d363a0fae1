#include "common/io/json_fault.hpp"

#include <algorithm>

#include "common/io/file_error.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

void throw_not_json(const std::string& path, std::string_view text, std::size_t position,
                    std::string_view last, std::string_view sentence) {
    const std::string_view before = text.substr(0, position == 0 ? 0 : position - 1);
    const std::size_t line_break = before.rfind('\n');
    const std::size_t column =
        line_break == std::string_view::npos ? before.size() + 1 : before.size() - line_break;
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    constexpr std::string_view mark = "; expected ";
    const std::size_t expected = sentence.rfind(mark);
    const bool is_utf8 = sentence.find("ill-formed UTF-8") == std::string_view::npos;
    // A long token is a string that breaks off: its end is where the fault is.
    constexpr std::size_t most = 60;
    const std::string_view tail = last.substr(last.size() > most ? last.size() - most : 0);
    throw FileError{
        path, "line " + std::to_string(line) + ", column " + std::to_string(column),
        is_utf8 ? "not JSON" : "not JSON: not UTF-8", last.empty() ? "the end" : visible_text(tail),
        expected == std::string_view::npos ? "JSON"
                                           : std::string{sentence.substr(expected + mark.size())}};
}

}  // namespace bert
