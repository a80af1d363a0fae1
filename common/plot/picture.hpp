// A drawing as a list of shapes, and the same drawing as SVG text or PNG bytes.
//
// Lengths are in units of one SVG pixel, y runs downwards; a PNG has two pixels a unit.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/plot/colormap.hpp"

namespace bert {

struct Box {
    double x = 0.0;
    double y = 0.0;
    double width = 0.0;
    double height = 0.0;
    Color fill;
    std::string tooltip;  // what a browser shows at the mouse; may be empty
};

enum class Anchor { start, middle, end };

struct Label {
    double x = 0.0;  // of the start, middle or end
    double y = 0.0;  // of half the height of the letters
    std::string text;
    Anchor anchor = Anchor::start;
    int size = 12;
    int degrees_up = 0;  // 0, 45 or 90; a PNG draws 45 as 90
    Color color = black;
};

struct Polyline {
    std::vector<std::pair<double, double>> points;
    Color color = black;
    double width = 1.0;
    std::vector<int> dashes;  // lengths of line and gap in turn; empty: no gaps
};

/// rows x columns colours, each a rectangle of equal size.
struct Mosaic {
    double x = 0.0;
    double y = 0.0;
    double width = 0.0;
    double height = 0.0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<Color> cells;
};

struct Picture {
    double width = 0.0;
    double height = 0.0;
    std::string title;                                               // for a screen reader
    std::string description;                                         // one sentence more
    std::vector<std::variant<Box, Label, Polyline, Mosaic>> shapes;  // later ones on top
};

inline constexpr int png_pixels_per_unit = 2;

/// A whole SVG document on a white ground. Text is made visible and escaped first.
std::string to_svg(const Picture& picture);

/// A PNG file, 8-bit RGB. Text outside ASCII shows as boxes.
/// Throws std::length_error when the picture is wider or higher than 20,000 pixels.
std::string to_png(const Picture& picture);

/// Width of text in units, a little more than most fonts need.
double text_length(const std::string& text, int size);

}  // namespace bert
