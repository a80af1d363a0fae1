// Headings in what a program prints.
#pragma once

#include <string_view>

namespace bert {

/// Prints an empty line (not before the first heading), the title, and a line of '-' below it.
void section(std::string_view title);

}  // namespace bert
