#include "common/plot/ticks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "common/tensor/print.hpp"

namespace bert {

namespace {

// The smallest of 1, 2, 5 and 10 times a power of ten that is not below x.
double round_step(double x) {
    const double power = std::pow(10.0, std::floor(std::log10(x)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= x * (1.0 - 1e-9)) return factor * power;
    }
    return 10.0 * power;
}

std::string tick_label(double value, double step) {
    const double largest = std::max(std::abs(value), step);
    const bool has_exponent = largest >= 1e6 || step < 1e-6;
    if (has_exponent) return fmt::format("{:.6g}", value);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    return to_text(value, decimals);
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, std::size_t count) {
    const double width = high - low;
    if (!(low < high) || !std::isfinite(width) || count == 0) return {};
    const double step = round_step(width / static_cast<double>(count));
    const double first = std::ceil(low / step - 1e-9);
    const double last = std::floor(high / step + 1e-9);
    // Numbers too close to each other for their size: no step of doubles lies between.
    if (!(step > 0.0) || !(std::abs(first) < 1e15) || last - first > 1000.0) return {};
    std::vector<Tick> ticks;
    for (double k = first; k <= last; ++k) {
        const double value = k == 0.0 ? 0.0 : k * step;
        ticks.push_back({value, tick_label(value, step)});
    }
    return ticks;
}

std::vector<Tick> log_ticks(double low, double high, std::size_t count) {
    if (!(low > 0.0) || !(low < high) || !std::isfinite(high) || count == 0) return {};
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    const int stride =
        std::max(1, (last - first) / static_cast<int>(std::min<std::size_t>(count, 50)));
    const auto inside = [&](double x) { return x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9); };
    std::vector<Tick> powers;
    std::vector<Tick> all;
    for (int exponent = first; exponent <= last; exponent += stride) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10.0, exponent);
            if (!inside(value)) continue;
            all.push_back({value, fmt::format("{:g}", value)});
            if (factor == 1.0) powers.push_back(all.back());
        }
    }
    return powers.size() >= 3 ? powers : all;
}

std::string number_label(double x, int decimals) {
    if (std::abs(x) >= 1e6) return fmt::format("{:.2e}", x);
    return to_text(x, std::clamp(decimals, 0, 9));
}

}  // namespace bert
