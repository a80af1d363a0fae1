// A table of numbers as coloured cells with names, axis titles and a colour bar.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/plot/colormap.hpp"
#include "common/plot/picture.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct Heatmap {
    Tensor values{};                          // (rows, columns)
    std::vector<std::string> row_names{};     // empty: the row numbers; else one a row
    std::vector<std::string> column_names{};  // likewise
    std::string title{};
    std::string row_title{};     // what the rows are
    std::string column_title{};  // what the columns are
    std::optional<std::pair<double, double>>
        range{};                // the ends of the colours; else least, greatest
    bool show_numbers = false;  // in the cells, where there is room
    int decimals = 2;
};

/// The heatmap as SVG text or PNG bytes; equal heatmaps give equal bytes.
///
/// Throws ShapeError unless values is (rows, columns), each 1 to 2048, and names fit;
/// NumericError for a value that is not finite; std::invalid_argument for a range that is not
/// finite and rising.
std::string heatmap_svg(const Heatmap& heatmap);
std::string heatmap_png(const Heatmap& heatmap);

/// What both draw. Column names that are too long for their columns turn by `degrees_up`: 45 or
/// 90. Throws as heatmap_svg.
Picture heatmap_picture(const Heatmap& heatmap, int degrees_up);

/// The values that have the first and the last colour. A table of one value lies in the middle.
/// Throws as heatmap_svg.
std::pair<double, double> color_range(const Heatmap& heatmap);

/// Where x lies between low and high: 0 at low, 1 at high.
double fraction_of(double x, std::pair<double, double> range);

/// The names made visible, or the numbers from 0 when there are none.
std::vector<std::string> names_or_numbers(const std::vector<std::string>& names, std::size_t count);

}  // namespace bert
