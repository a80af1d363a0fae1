#include "common/io/csv.hpp"

#include <cstddef>

namespace bert {

std::string csv_field(std::string_view text) {
    const bool blank_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (!blank_end && text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string{text};
    }
    std::string field = "\"";
    for (const char c : text) {
        if (c == '"') field += '"';
        field += c;
    }
    return field + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
    // A record of one empty field would read as no record at all.
    if (fields.size() == 1 && fields.front().empty()) return "\"\"\r\n";
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) line += ',';
        line += csv_field(fields[i]);
    }
    return line + "\r\n";
}

}  // namespace bert
