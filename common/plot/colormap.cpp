#include "common/plot/colormap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/plot/viridis_table.hpp"

namespace bert {

namespace {

// One channel as an amount of light, by the sRGB curve.
double light(std::uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Color color) {
    return 0.2126 * light(color.red) + 0.7152 * light(color.green) + 0.0722 * light(color.blue);
}

}  // namespace

Color viridis(double t) {
    const double inside = t > 0.0 ? std::min(t, 1.0) : 0.0;
    const auto index = std::min(static_cast<std::size_t>(inside * 256.0), std::size_t{255});
    const std::uint32_t rgb = viridis_table[index];
    return {static_cast<std::uint8_t>(rgb >> 16U), static_cast<std::uint8_t>((rgb >> 8U) & 0xFFU),
            static_cast<std::uint8_t>(rgb & 0xFFU)};
}

double contrast_ratio(Color a, Color b) {
    const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
    return (lighter + 0.05) / (darker + 0.05);
}

Color text_color_on(Color background) {
    return contrast_ratio(background, black) > contrast_ratio(background, white) ? black : white;
}

std::string to_hex(Color color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

}  // namespace bert
