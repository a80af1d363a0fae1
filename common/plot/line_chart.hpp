// Curves over two axes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/plot/picture.hpp"

namespace bert {

struct Series {
    std::string name{};
    std::vector<double> x{};
    std::vector<double> y{};
};

struct LineChart {
    std::string title{};
    std::string x_title{};
    std::string y_title{};
    std::vector<Series> series{};
    bool log_y = false;  // a factor of ten is everywhere the same height
};

/// The chart as SVG text or PNG bytes; equal charts give equal bytes. A point that cannot be drawn
/// (not finite, or not above zero with log_y) is a gap in its curve.
/// Throws ShapeError when a series has not as many x as y.
std::string line_chart_svg(const LineChart& chart);
std::string line_chart_png(const LineChart& chart);

/// What both draw. Throws as line_chart_svg.
Picture line_chart_picture(const LineChart& chart);

/// One axis: from low to high, which lie apart.
struct AxisRange {
    double low;
    double high;
    bool log = false;

    /// 0 at low, 1 at high.
    double fraction(double value) const;
};

/// The axes that hold every point that can be drawn; 0 to 1 (or 1 to 10) when there is none.
/// Throws as line_chart_svg.
std::pair<AxisRange, AxisRange> chart_axes(const LineChart& chart);

/// Whether this point of a series has a place on the chart.
bool can_draw(const LineChart& chart, double x, double y);

}  // namespace bert
