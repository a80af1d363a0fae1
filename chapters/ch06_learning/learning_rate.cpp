#include "ch06_learning/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include <fmt/core.h>

#include "ch06_learning/step_checks.hpp"

namespace bert {

namespace {

void require(bool fits, std::string_view function, std::string_view name, std::uint64_t found,
             std::string_view expected) {
    if (fits) return;
    throw std::invalid_argument{
        fmt::format("{}: {} (found {}, expected {})", function, name, found, expected)};
}

double share(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace
double warmup_then_constant(std::uint64_t step, double peak, std::uint64_t warmup) {
    require(step >= 1, "warmup_then_constant", "step", step, "at least 1");
    require_learning_rate("warmup_then_constant", peak);
    return step < warmup ? peak * share(step, warmup) : peak;
}

double warmup_then_linear(std::uint64_t step, double peak, std::uint64_t warmup,
                          std::uint64_t total) {
    require(warmup < total, "warmup_then_linear", "warm-up", warmup,
            fmt::format("below the total of {}", total));
    require(step >= 1 && step <= total, "warmup_then_linear", "step", step,
            fmt::format("1 to {}", total));
    require_learning_rate("warmup_then_linear", peak);
    if (step <= warmup) return peak * share(step, warmup);
    return peak * share(total - step + 1, total - warmup + 1);
}

double warmup_then_inverse_root(std::uint64_t step, double peak, std::uint64_t warmup) {
    require(step >= 1, "warmup_then_inverse_root", "step", step, "at least 1");
    require(warmup >= 1, "warmup_then_inverse_root", "warm-up", warmup, "at least 1");
    require_learning_rate("warmup_then_inverse_root", peak);
    return step < warmup ? peak * share(step, warmup) : peak * std::sqrt(share(warmup, step));
}

double transformer_rate(std::uint64_t step, std::size_t width, std::uint64_t warmup) {
    require(step >= 1, "transformer_rate", "step", step, "at least 1");
    require(width >= 1, "transformer_rate", "width", width, "at least 1");
    require(warmup >= 1, "transformer_rate", "warm-up", warmup, "at least 1");
    const double t = static_cast<double>(step);
    return std::min(std::pow(t, -0.5), t * std::pow(static_cast<double>(warmup), -1.5)) /
           std::sqrt(static_cast<double>(width));
}

}  // namespace bert
