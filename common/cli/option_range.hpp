// Options that are out of range, said alike everywhere.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string_view>

namespace bert {

/// Throws std::invalid_argument "steps (found 0, expected at least 1)" unless the number fits.
inline void require_option(bool fits, std::string_view name, double found,
                           std::string_view expected) {
    if (fits) return;
    throw std::invalid_argument{fmt::format("{} (found {}, expected {})", name, found, expected)};
}

}  // namespace bert
