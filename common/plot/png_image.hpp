// Pixels, and PNG files made of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/plot/colormap.hpp"

namespace bert {

struct PixelImage {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<Color> pixels;  // row by row
};

/// The bytes of a PNG file: 8-bit RGB, no time, the same bytes for the same pixels.
/// Throws ShapeError unless there are width * height pixels, and at least one.
std::string encode_png(const PixelImage& image);

/// Draws one line of text with letters 5 pixels wide and 7 high (9 with descenders), each
/// enlarged `scale` times. (x, y) is the top left corner; letters outside the image are left out.
/// With `upwards` the text runs from bottom to top and (x, y) is its bottom left corner.
/// Characters outside ASCII show as a box.
void draw_text(PixelImage& image, long x, long y, const std::string& text, int scale, Color color,
               bool upwards = false);

/// Width of a letter with the gap after it, before enlarging.
inline constexpr int letter_advance = 6;
/// Height of a capital letter before enlarging.
inline constexpr int letter_height = 7;

}  // namespace bert
