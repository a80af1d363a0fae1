#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "common/plot/terminal.hpp"
#include "common/plot/ticks.hpp"

namespace bert {

namespace {

constexpr std::size_t height = 16;
constexpr std::string_view marks = "*+xo#@%&";

struct Field {
    std::size_t width;
    std::vector<std::string> lines;
    AxisRange x;
    AxisRange y;

    void put(double px, double py, char mark) {
        const auto place = [](double part, std::size_t size) {
            const double last = static_cast<double>(size - 1);
            return static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * last));
        };
        lines[height - 1 - place(y.fraction(py), height)][place(x.fraction(px), width)] = mark;
    }
};

// A mark in every column between two points of the curve that follow each other.
void draw(const LineChart& chart, std::size_t series, Field& field) {
    const Series& data = chart.series[series];
    const char mark = marks[series % marks.size()];
    for (std::size_t i = 0; i < data.x.size(); ++i) {
        if (!can_draw(chart, data.x[i], data.y[i])) continue;
        field.put(data.x[i], data.y[i], mark);
        if (i == 0 || !can_draw(chart, data.x[i - 1], data.y[i - 1])) continue;
        const double part = std::abs(field.x.fraction(data.x[i]) - field.x.fraction(data.x[i - 1]));
        const auto steps = static_cast<std::size_t>(part * static_cast<double>(field.width));
        for (std::size_t s = 1; s < steps; ++s) {
            const double t = static_cast<double>(s) / static_cast<double>(steps);
            const auto between = [t](double a, double b) { return a * (1.0 - t) + b * t; };
            const double py = chart.log_y
                                  ? std::exp(between(std::log(data.y[i - 1]), std::log(data.y[i])))
                                  : between(data.y[i - 1], data.y[i]);
            field.put(between(data.x[i - 1], data.x[i]), py, mark);
        }
    }
}

}  // namespace

std::string terminal_line_chart(const LineChart& chart, const TerminalStyle& style) {
    const auto [x, y] = chart_axes(chart);
    const std::string high = fmt::format("{:.4g}", y.high);
    const std::string low = fmt::format("{:.4g}", y.low);
    const std::size_t left = std::max(high.size(), low.size());
    const std::size_t width =
        std::clamp<std::size_t>(style.columns, left + 22, left + 82) - left - 2;
    Field field{width, std::vector<std::string>(height, std::string(width, ' ')), x, y};
    for (std::size_t i = 0; i < chart.series.size(); ++i)
        draw(chart, i, field);

    std::string text;
    if (!chart.title.empty()) text += terminal_text(chart.title, style.columns, style) + "\n";
    if (!chart.y_title.empty()) text += terminal_text(chart.y_title, style.columns, style) + "\n";
    for (std::size_t r = 0; r < height; ++r) {
        const std::string label = r == 0 ? high : r + 1 == height ? low : "";
        std::string line =
            fmt::format("{:>{}} {}{}", label, left, style.unicode ? "│" : "|", field.lines[r]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    std::string rule;
    for (std::size_t i = 0; i < width; ++i)
        rule += style.unicode ? "─" : "-";
    text += fmt::format("{} {}{}\n", std::string(left, ' '), style.unicode ? "└" : "+", rule);
    const std::string first = fmt::format("{:.4g}", x.low);
    const std::string last = fmt::format("{:.4g}", x.high);
    text += fmt::format("{} {}{:>{}}\n", std::string(left + 1, ' '), first, last,
                        width - 1 - std::min(width - 1, first.size()));
    if (!chart.x_title.empty()) text += terminal_text(chart.x_title, style.columns, style) + "\n";
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        text += fmt::format(
            "{} {}\n", marks[i % marks.size()],
            terminal_text(chart.series[i].name,
                          style.columns - std::min<std::size_t>(style.columns, 2), style));
    }
    return text;
}

}  // namespace bert
