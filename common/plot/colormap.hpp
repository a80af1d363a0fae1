// Colours of numbers, and text that can be read on them.
#pragma once

#include <cstdint>
#include <string>

namespace bert {

struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    bool operator==(const Color&) const = default;
};

inline constexpr Color black{0, 0, 0};
inline constexpr Color white{255, 255, 255};

/// The viridis colour of t: dark violet at 0, yellow at 1. Numbers outside [0, 1] take the colour
/// of the nearer end, NaN that of 0.
Color viridis(double t);

/// How well two colours can be told apart, from 1 (equal) to 21 (black and white), as in WCAG 2.
double contrast_ratio(Color a, Color b);

/// Black or white, whichever is easier to read on `background`; the contrast is 4.5 or more.
Color text_color_on(Color background);

/// "#440154".
std::string to_hex(Color color);

}  // namespace bert
