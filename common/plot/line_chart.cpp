#include "common/plot/line_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "common/plot/ticks.hpp"
#include "common/plot/visible_text.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

namespace {

constexpr double margin = 16.0;
constexpr double line_height = 18.0;
constexpr double plot_width = 560.0;
constexpr double plot_height = 320.0;
constexpr Color grid_color{224, 224, 224};
constexpr Color frame_color{90, 90, 90};

// Okabe and Ito's colours, which colour-blind eyes can tell apart, the light ones darker so that
// each has a contrast of 3 or more on white.
constexpr std::array<Color, 6> palette{
    {{0, 114, 178}, {205, 85, 0}, {0, 135, 100}, {170, 70, 130}, {60, 60, 60}, {150, 115, 0}}};

// As many as are coprime with the colours, so that 30 curves differ in one or the other.
std::vector<int> dashes_of(std::size_t series) {
    static const std::array<std::vector<int>, 5> patterns{
        {{}, {7, 3}, {2, 3}, {9, 3, 2, 3}, {14, 4}}};
    return patterns[series % patterns.size()];
}

struct Frame {
    double left;
    double top;
    AxisRange x;
    AxisRange y;

    std::pair<double, double> place(double px, double py) const {
        return {left + plot_width * x.fraction(px), top + plot_height * (1.0 - y.fraction(py))};
    }
};

void widen(double value, double& low, double& high) {
    low = std::min(low, value);
    high = std::max(high, value);
}

// Room above and below the curves, or around a single number.
AxisRange with_room(AxisRange axis, double share) {
    if (axis.log) {
        const double factor = axis.low < axis.high
                                  ? std::exp(share * (std::log(axis.high) - std::log(axis.low)))
                                  : 2.0;
        const double low = axis.low / factor;
        const double high = axis.high * factor;
        return {low > 0.0 ? low : axis.low, std::isfinite(high) ? high : axis.high, true};
    }
    const double room = axis.low < axis.high ? share * axis.high - share * axis.low
                                             : std::max(0.5, 0.5 * std::abs(axis.low));
    const double low = axis.low - room;
    const double high = axis.high + room;
    return {std::isfinite(low) ? low : axis.low, std::isfinite(high) ? high : axis.high, false};
}

void add_axes(const Frame& frame, Picture& picture) {
    const double bottom = frame.top + plot_height;
    for (const Tick& tick : linear_ticks(frame.x.low, frame.x.high, 7)) {
        const double x = frame.place(tick.value, frame.y.low).first;
        picture.shapes.emplace_back(
            Polyline{{{x, bottom}, {x, bottom + 4.0}}, frame_color, 1.0, {}});
        picture.shapes.emplace_back(Label{x, bottom + 14.0, tick.label, Anchor::middle});
    }
    const std::vector<Tick> y_ticks = frame.y.log ? log_ticks(frame.y.low, frame.y.high, 6)
                                                  : linear_ticks(frame.y.low, frame.y.high, 6);
    for (const Tick& tick : y_ticks) {
        const double y = frame.place(frame.x.low, tick.value).second;
        picture.shapes.emplace_back(
            Polyline{{{frame.left, y}, {frame.left + plot_width, y}}, grid_color, 1.0, {}});
        picture.shapes.emplace_back(Label{frame.left - 6.0, y, tick.label, Anchor::end});
    }
    picture.shapes.emplace_back(
        Polyline{{{frame.left, frame.top}, {frame.left, bottom}, {frame.left + plot_width, bottom}},
                 frame_color,
                 1.0,
                 {}});
}

// A lone point has no line: it shows as a square.
void add_piece(std::vector<std::pair<double, double>> points, std::size_t series,
               Picture& picture) {
    const Color color = palette[series % palette.size()];
    if (points.size() == 1) {
        const auto [x, y] = points[0];
        picture.shapes.emplace_back(Box{x - 2.0, y - 2.0, 4.0, 4.0, color, {}});
    } else if (points.size() > 1) {
        picture.shapes.emplace_back(Polyline{std::move(points), color, 2.0, dashes_of(series)});
    }
}

void add_curve(const LineChart& chart, std::size_t series, const Frame& frame, Picture& picture) {
    const Series& data = chart.series[series];
    std::vector<std::pair<double, double>> piece;
    for (std::size_t i = 0; i < data.x.size(); ++i) {
        if (!can_draw(chart, data.x[i], data.y[i])) {
            add_piece(std::move(piece), series, picture);
            piece.clear();
            continue;
        }
        const auto point = frame.place(data.x[i], data.y[i]);
        // Many points on one spot add nothing but bytes.
        const bool moved = piece.empty() || std::abs(point.first - piece.back().first) > 0.1 ||
                           std::abs(point.second - piece.back().second) > 0.1;
        if (moved) piece.push_back(point);
    }
    add_piece(std::move(piece), series, picture);
}

// Names of the curves beside the plot; returns the x where they end.
double add_legend(const LineChart& chart, const Frame& frame, Picture& picture) {
    double end = frame.left + plot_width;
    const double x = end + 20.0;
    double y = frame.top + 0.5 * line_height;
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const std::string name = shortened(visible_text(chart.series[i].name), 40, "...");
        picture.shapes.emplace_back(
            Polyline{{{x, y}, {x + 34.0, y}}, palette[i % palette.size()], 2.0, dashes_of(i)});
        picture.shapes.emplace_back(Label{x + 42.0, y, name});
        end = std::max(end, x + 42.0 + text_length(name, 12));
        y += line_height;
    }
    return end;
}

Frame frame_of(const LineChart& chart) {
    const auto [x, y] = chart_axes(chart);
    Frame frame{margin, margin, x, y};
    double widest = 0.0;
    const std::vector<Tick> ticks =
        y.log ? log_ticks(y.low, y.high, 6) : linear_ticks(y.low, y.high, 6);
    for (const Tick& tick : ticks)
        widest = std::max(widest, text_length(tick.label, 12));
    frame.left += std::ceil(widest) + 8.0;
    if (!chart.y_title.empty()) frame.left += line_height + 4.0;
    if (!chart.title.empty()) frame.top += 1.75 * line_height;
    return frame;
}

}  // namespace

double AxisRange::fraction(double value) const {
    if (log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low);
}

bool can_draw(const LineChart& chart, double x, double y) {
    return std::isfinite(x) && std::isfinite(y) && (!chart.log_y || y > 0.0);
}

std::pair<AxisRange, AxisRange> chart_axes(const LineChart& chart) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    AxisRange x{infinity, -infinity, false};
    AxisRange y{infinity, -infinity, chart.log_y};
    for (const Series& series : chart.series) {
        if (series.x.size() != series.y.size()) {
            throw ShapeError{fmt::format("line_chart: series '{}' has {} x and {} y",
                                         visible_text(series.name), series.x.size(),
                                         series.y.size())};
        }
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            if (!can_draw(chart, series.x[i], series.y[i])) continue;
            widen(series.x[i], x.low, x.high);
            widen(series.y[i], y.low, y.high);
        }
    }
    if (x.low > x.high)
        return {{0.0, 1.0, false},
                {chart.log_y ? 1.0 : 0.0, chart.log_y ? 10.0 : 1.0, chart.log_y}};
    return {x.low < x.high ? x : with_room(x, 0.0), with_room(y, 0.05)};
}

Picture line_chart_picture(const LineChart& chart) {
    const Frame frame = frame_of(chart);
    Picture picture;
    picture.title = chart.title.empty() ? "Line chart" : chart.title;
    picture.description =
        fmt::format("{} curves; x from {:.4g} to {:.4g}, y from {:.4g} to {:.4g}.",
                    chart.series.size(), frame.x.low, frame.x.high, frame.y.low, frame.y.high);
    const std::string title = shortened(visible_text(chart.title), 90, "...");
    if (!title.empty()) {
        picture.shapes.emplace_back(
            Label{margin, margin + 0.5 * line_height, title, Anchor::start, 16});
    }
    add_axes(frame, picture);
    for (std::size_t i = 0; i < chart.series.size(); ++i)
        add_curve(chart, i, frame, picture);
    const double end = add_legend(chart, frame, picture);
    const double bottom = frame.top + plot_height;
    if (!chart.x_title.empty()) {
        picture.shapes.emplace_back(Label{frame.left + 0.5 * plot_width, bottom + 34.0,
                                          shortened(visible_text(chart.x_title), 75, "..."),
                                          Anchor::middle});
    }
    if (!chart.y_title.empty()) {
        picture.shapes.emplace_back(Label{margin + 0.5 * line_height, frame.top + 0.5 * plot_height,
                                          shortened(visible_text(chart.y_title), 45, "..."),
                                          Anchor::middle, 12, 90});
    }
    const double legend_bottom = frame.top + line_height * static_cast<double>(chart.series.size());
    picture.width = std::ceil(std::max(end, margin + text_length(title, 16)) + margin);
    picture.height =
        std::ceil(std::max(bottom + (chart.x_title.empty() ? 24.0 : 44.0), legend_bottom) + margin);
    return picture;
}

std::string line_chart_svg(const LineChart& chart) {
    return to_svg(line_chart_picture(chart));
}

std::string line_chart_png(const LineChart& chart) {
    return to_png(line_chart_picture(chart));
}

}  // namespace bert
