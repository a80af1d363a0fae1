// Comma-separated values after RFC 4180.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bert {

/// The text as one field: in quotes, its own quotes doubled, where a comma, a quote, a line break
/// or a blank at either end asks for it. A field is data: one that a spreadsheet would take for a
/// formula, such as "=1", is left as it is.
std::string csv_field(std::string_view text);

/// One record, with the line break CR LF.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace bert
