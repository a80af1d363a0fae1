// Where the parts of a heatmap's picture lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/plot/heatmap.hpp"

namespace bert {

// Lengths in the units of a Picture: the room around it, a line of text, and between two parts.
inline constexpr double heatmap_margin = 16.0;
inline constexpr double heatmap_line = 16.0;
inline constexpr double heatmap_gap = 8.0;

/// More cells than this are drawn as one image, without numbers and tooltips.
inline constexpr std::size_t most_heatmap_boxes = 4096;

/// The cells start at (left, top), the colour bar stands to their right.
struct HeatmapLayout {
    std::size_t rows;
    std::size_t columns;
    std::vector<std::string> row_names;  // visible and short
    std::vector<std::string> column_names;
    double longest_column_name;
    bool numbers;  // in the cells
    double cell_width;
    double cell_height;
    bool turned;  // column names
    int degrees_up;
    double left;
    double top;

    double width() const { return static_cast<double>(columns) * cell_width; }
    double height() const { return static_cast<double>(rows) * cell_height; }
    double right() const { return left + width(); }
    double bottom() const { return top + height(); }
    double bar_height() const { return std::max(height(), 96.0); }
};

/// The layout of a heatmap that color_range() accepts.
HeatmapLayout heatmap_layout(const Heatmap& heatmap, int degrees_up);

}  // namespace bert
