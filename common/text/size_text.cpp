#include "common/text/size_text.hpp"

#include <fmt/core.h>

namespace bert {

std::string size_text(double bytes) {
    const bool large = bytes >= 1e9;
    const double amount = bytes / (large ? 1e9 : 1e6);
    const char* const unit = large ? "GB" : "MB";
    if (amount >= 1000) return fmt::format("{:.0f} {}", amount, unit);
    return fmt::format("{:.4g} {}", amount, unit);
}

}  // namespace bert
