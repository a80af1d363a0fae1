// The one sentence for text that is not JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert {

/// Throws FileError with line and column. `position` counts the bytes read, with the one that does
/// not fit; `last` is the token that does not fit; `sentence` is the parser's, which ends in
/// "; expected " and what the grammar allows, where it knows.
[[noreturn]] void throw_not_json(const std::string& path, std::string_view text,
                                 std::size_t position, std::string_view last,
                                 std::string_view sentence);

}  // namespace bert
