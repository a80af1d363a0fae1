#include "common/cli/section.hpp"

#include <fmt/core.h>

namespace bert {

void section(std::string_view title) {
    static bool first = true;
    fmt::print("{}{}\n{:->{}}\n", first ? "" : "\n", title, "", title.size());
    first = false;
}

}  // namespace bert
