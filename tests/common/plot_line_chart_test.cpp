#include "common/plot/line_chart.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "common/tensor/tensor.hpp"
#include "tests/support/catch.hpp"

using bert::LineChart;
using bert::Polyline;

namespace {

// The curves: what is drawn two units wide, without the samples of the legend.
std::vector<Polyline> curves(const LineChart& chart) {
    std::vector<Polyline> lines;
    for (const auto& shape : bert::line_chart_picture(chart).shapes) {
        const Polyline* line = std::get_if<Polyline>(&shape);
        if (line != nullptr && line->width == 2.0) lines.push_back(*line);
    }
    lines.resize(lines.size() - chart.series.size());
    return lines;
}

}  // namespace

TEST_CASE("line_chart_svg: titles and legend and ticks are there", "[plot]") {
    const LineChart chart{
        .title = "Loss <1>",
        .x_title = "step",
        .y_title = "nats",
        .series = {{"train", {0, 10, 20}, {3, 2, 1}}, {"held out", {0, 10, 20}, {3, 2.5, 2.25}}}};
    const std::string svg = bert::line_chart_svg(chart);
    for (const char* text : {"Loss &lt;1&gt;", "step", "nats", "train", "held out", "0", "20"}) {
        CHECK_THAT(svg, ContainsSubstring(">" + std::string{text} + "</text>"));
    }
    CHECK(svg == bert::line_chart_svg(chart));
    CHECK_THAT(bert::line_chart_png(chart), ContainsSubstring("PNG"));
}

TEST_CASE("line_chart: curves go from corner to corner of their axes", "[plot]") {
    const LineChart chart{.series = {{"", {1, 2, 3}, {10, 20, 30}}}};
    const auto [x, y] = bert::chart_axes(chart);
    CHECK(x.fraction(1.0) == 0.0);
    CHECK(x.fraction(3.0) == 1.0);
    CHECK_THAT(y.fraction(20.0), WithinAbs(0.5, 1e-12));
    const auto lines = curves(chart);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].points.front().second > lines[0].points.back().second);  // up is smaller y
}

TEST_CASE("line_chart: with log_y a factor is everywhere the same height", "[plot]") {
    const LineChart chart{.series = {{"", {0, 1, 2, 3}, {0.01, 1, 100, 0}}}, .log_y = true};
    const auto points = curves(chart).at(0).points;
    REQUIRE(points.size() == 3);  // without the zero
    const double first = points[0].second - points[1].second;
    CHECK(first > 50.0);
    CHECK_THAT(points[1].second - points[2].second, WithinAbs(first, 1e-9));
}

TEST_CASE("line_chart: a point that is not finite is a gap", "[plot]") {
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    const LineChart chart{.series = {{"", {0, 1, 2, 3, 4, 5}, {1, 2, nan, 2, 1, infinity}}}};
    const auto lines = curves(chart);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].points.size() == 2);
    CHECK(lines[1].points.size() == 2);
    const std::string svg = bert::line_chart_svg(chart);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("line_chart: thirty curves differ in colour or dashes", "[plot]") {
    LineChart chart;
    for (int i = 0; i < 30; ++i)
        chart.series.push_back({"", {0, 1}, {0, 1.0 + i}});
    const auto lines = curves(chart);
    REQUIRE(lines.size() == 30);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        CHECK(bert::contrast_ratio(lines[i].color, bert::white) >= 3.0);
        for (std::size_t k = 0; k < i; ++k) {
            CHECK((lines[i].color != lines[k].color || lines[i].dashes != lines[k].dashes));
        }
    }
}

TEST_CASE("line_chart: nothing or one point or the widest range can be drawn", "[plot]") {
    constexpr double most = std::numeric_limits<double>::max();
    for (const bool log_y : {false, true}) {
        for (const bert::Series& series :
             {bert::Series{}, bert::Series{"", {5}, {5}}, bert::Series{"", {1, 2}, {7, 7}},
              bert::Series{"", {-most, most}, {1e-300, most}},
              bert::Series{"", {0, 1}, {-most, most}}}) {
            const LineChart chart{.series = {series}, .log_y = log_y};
            const std::string svg = bert::line_chart_svg(chart);
            CHECK(svg.find("\"nan") == std::string::npos);
            CHECK(svg.find("nan,") == std::string::npos);
            CHECK(svg.find(",nan") == std::string::npos);
        }
    }
}

TEST_CASE("line_chart: x and y of different length are refused", "[plot]") {
    const LineChart chart{.series = {{"bad\x1b", {0, 1}, {0}}}};
    CHECK_THROWS_AS(bert::line_chart_svg(chart), bert::ShapeError);
    CHECK_THROWS_WITH(bert::line_chart_svg(chart), ContainsSubstring("bad\\x1B' has 2 x and 1 y"));
}

TEST_CASE("line_chart_svg: the whole range of numbers on a log axis", "[plot]") {
    const LineChart chart{.series = {{"", {0, 1, 2}, {5e-324, 1, 1.7e308}}}, .log_y = true};
    const std::string svg = line_chart_svg(chart);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK_THAT((bert::AxisRange{5e-324, 1.7e308, true}.fraction(1.0)), WithinAbs(0.51, 0.01));
}
