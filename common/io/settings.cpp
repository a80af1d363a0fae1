#include "common/io/settings.hpp"

#include <map>

#include "common/io/file_error.hpp"

namespace bert {

void require_settings(const std::string& path, const Settings& found, const Settings& expected) {
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (const auto& [name, value] : found)
        both[name].first = value;
    for (const auto& [name, value] : expected)
        both[name].second = value;
    std::string found_text;
    std::string expected_text;
    for (const auto& [name, values] : both) {
        if (values.first == values.second) continue;
        const char* const comma = found_text.empty() ? "" : ", ";
        found_text += comma + name + " " + values.first;
        expected_text += comma + name + " " + values.second;
    }
    if (found_text.empty()) return;
    throw FileError{path, "settings", "the training was started with others", found_text,
                    expected_text};
}

}  // namespace bert
