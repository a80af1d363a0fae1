#include "common/plot/heatmap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "common/plot/ticks.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

void require_drawable(const Heatmap& heatmap) {
    constexpr std::size_t most = 2048;
    const Shape& shape = heatmap.values.shape();
    const bool fits =
        shape.size() == 2 && shape[0] >= 1 && shape[1] >= 1 && shape[0] <= most && shape[1] <= most;
    if (!fits) {
        throw ShapeError{"heatmap: values " + to_string(shape) +
                         " are not (rows, columns) of 1 to 2048 each"};
    }
    const auto require_names = [&](const std::vector<std::string>& names, std::size_t count,
                                   std::string_view what) {
        if (names.empty() || names.size() == count) return;
        throw ShapeError{fmt::format("heatmap: {} {} names for values {}", names.size(), what,
                                     to_string(shape))};
    };
    require_names(heatmap.row_names, shape[0], "row");
    require_names(heatmap.column_names, shape[1], "column");
    require_finite("heatmap", heatmap.values);
}

}  // namespace

std::vector<std::string> names_or_numbers(const std::vector<std::string>& names,
                                          std::size_t count) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(names.empty() ? std::to_string(i) : visible_text(names[i]));
    }
    return result;
}

double fraction_of(double x, std::pair<double, double> range) {
    // Halves, because the whole width of a range can be more than the largest double.
    return (0.5 * x - 0.5 * range.first) / (0.5 * range.second - 0.5 * range.first);
}

std::pair<double, double> color_range(const Heatmap& heatmap) {
    require_drawable(heatmap);
    if (heatmap.range) {
        const auto [low, high] = *heatmap.range;
        if (!(std::isfinite(low) && std::isfinite(high) && low < high)) {
            throw std::invalid_argument{fmt::format(
                "heatmap: range (found {} to {}, expected finite and rising)", low, high)};
        }
        return {low, high};
    }
    const auto values = heatmap.values.values();
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    const auto low = static_cast<double>(*least);
    const auto high = static_cast<double>(*greatest);
    if (low < high) return {low, high};
    const double around = std::max(0.5, 0.5 * std::abs(low));
    return {low - around, low + around};
}

std::string heatmap_svg(const Heatmap& heatmap) {
    return to_svg(heatmap_picture(heatmap, 45));
}

std::string heatmap_png(const Heatmap& heatmap) {
    return to_png(heatmap_picture(heatmap, 90));
}

}  // namespace bert
