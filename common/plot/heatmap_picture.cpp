#include "common/plot/heatmap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "common/plot/heatmap_layout.hpp"
#include "common/plot/ticks.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

constexpr double bar_width = 14.0;
constexpr std::size_t longest_title = 90;
constexpr Color frame_color{90, 90, 90};

std::string short_title(const std::string& title) {
    return shortened(visible_text(title), longest_title, "...");
}

// A title along the cells: in their middle, or from their start when it is longer than they are.
Label axis_title(const std::string& text, double start, double length, double room) {
    const auto fitting = static_cast<std::size_t>(room / text_length("x", 12));
    const std::string shown =
        shortened(visible_text(text), std::min(fitting, longest_title), "...");
    const bool inside = text_length(shown, 12) <= length;
    return {.x = inside ? start + 0.5 * length : start,
            .text = shown,
            .anchor = inside ? Anchor::middle : Anchor::start};
}

void add_titles(const Heatmap& heatmap, const HeatmapLayout& layout, Picture& picture) {
    double y = heatmap_margin;
    if (!heatmap.title.empty()) {
        picture.shapes.emplace_back(Label{heatmap_margin, y + 0.5 * heatmap_line,
                                          short_title(heatmap.title), Anchor::start, 16});
        y += 1.5 * heatmap_line;
    }
    if (!heatmap.column_title.empty()) {
        Label label = axis_title(heatmap.column_title, layout.left, layout.width(), 1e3);
        label.y = y + 0.5 * heatmap_line;
        picture.shapes.emplace_back(std::move(label));
    }
    if (!heatmap.row_title.empty()) {
        const double height = layout.height();
        Label label = axis_title(heatmap.row_title, 0.0, height, layout.bottom() - y);
        label.y = layout.bottom() - label.x;  // upwards from the lower end
        label.x = heatmap_margin + 0.5 * heatmap_line;
        label.degrees_up = 90;
        picture.shapes.emplace_back(std::move(label));
    }
}

// Every name, or every n-th where the cells are narrower than a line of text.
void add_names(const HeatmapLayout& layout, Picture& picture) {
    const auto stride_for = [](double cell) {
        std::size_t stride = 1;
        for (std::size_t power = 1; static_cast<double>(stride) * cell < 13.0; power *= 10) {
            for (const std::size_t factor : {1U, 2U, 5U}) {
                stride = factor * power;
                if (static_cast<double>(stride) * cell >= 13.0) break;
            }
        }
        return stride;
    };
    for (std::size_t r = 0; r < layout.rows; r += stride_for(layout.cell_height)) {
        const double y = layout.top + (static_cast<double>(r) + 0.5) * layout.cell_height;
        picture.shapes.emplace_back(
            Label{layout.left - heatmap_gap, y, layout.row_names[r], Anchor::end});
    }
    const std::size_t stride = stride_for(layout.cell_width * (layout.degrees_up == 45 ? 0.71 : 1));
    for (std::size_t c = 0; c < layout.columns; c += layout.turned ? stride : 1) {
        const double x = layout.left + (static_cast<double>(c) + 0.5) * layout.cell_width;
        picture.shapes.emplace_back(
            layout.turned
                ? Label{x, layout.top - heatmap_gap, layout.column_names[c], Anchor::start, 12,
                        layout.degrees_up}
                : Label{x, layout.top - heatmap_gap - 2.0, layout.column_names[c], Anchor::middle});
    }
}

void add_frame(double x, double y, double width, double height, Picture& picture) {
    picture.shapes.emplace_back(
        Polyline{{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}},
                 frame_color,
                 1.0,
                 {}});
}

void add_cells(const Heatmap& heatmap, const HeatmapLayout& layout, std::pair<double, double> range,
               Picture& picture) {
    Mosaic mosaic{layout.left,    layout.top, layout.width(), layout.height(), layout.rows,
                  layout.columns, {}};
    for (const Real x : heatmap.values.values()) {
        mosaic.cells.push_back(viridis(fraction_of(static_cast<double>(x), range)));
    }
    const bool boxes = mosaic.cells.size() <= most_heatmap_boxes;
    for (std::size_t i = 0; boxes && i < mosaic.cells.size(); ++i) {
        const std::size_t r = i / layout.columns;
        const std::size_t c = i % layout.columns;
        const double value = static_cast<double>(heatmap.values.values()[i]);
        const double x = layout.left + static_cast<double>(c) * layout.cell_width;
        const double y = layout.top + static_cast<double>(r) * layout.cell_height;
        picture.shapes.emplace_back(
            Box{x, y, layout.cell_width, layout.cell_height, mosaic.cells[i],
                fmt::format("{}, {}: {}", layout.row_names[r], layout.column_names[c],
                            number_label(value, heatmap.decimals + 2))});
        if (layout.numbers) {
            picture.shapes.emplace_back(Label{x + 0.5 * layout.cell_width,
                                              y + 0.5 * layout.cell_height,
                                              number_label(value, heatmap.decimals), Anchor::middle,
                                              12, 0, text_color_on(mosaic.cells[i])});
        }
    }
    if (!boxes) picture.shapes.emplace_back(std::move(mosaic));
    add_frame(layout.left, layout.top, layout.width(), layout.height(), picture);
}

// Returns the x where the bar's numbers end.
double add_color_bar(const HeatmapLayout& layout, std::pair<double, double> range,
                     Picture& picture) {
    constexpr int steps = 64;
    const double x = layout.right() + 24.0;
    const double height = layout.bar_height();
    for (int i = 0; i < steps; ++i) {
        const double y = layout.top + height * i / steps;
        // Each step reaches to the bottom, so that no seam shows between two.
        picture.shapes.emplace_back(
            Box{x, y, bar_width, layout.top + height - y, viridis(1.0 - (i + 0.5) / steps), {}});
    }
    add_frame(x, layout.top, bar_width, height, picture);
    double end = x + bar_width;
    const auto count = static_cast<std::size_t>(std::clamp(height / 50.0, 3.0, 6.0));
    for (const Tick& tick : linear_ticks(range.first, range.second, count)) {
        const double y = layout.top + height * (1.0 - fraction_of(tick.value, range));
        picture.shapes.emplace_back(
            Polyline{{{x + bar_width, y}, {x + bar_width + 4.0, y}}, frame_color, 1.0, {}});
        picture.shapes.emplace_back(Label{x + bar_width + heatmap_gap, y, tick.label});
        end = std::max(end, x + bar_width + heatmap_gap + text_length(tick.label, 12));
    }
    return end;
}

}  // namespace

Picture heatmap_picture(const Heatmap& heatmap, int degrees_up) {
    const std::pair<double, double> range = color_range(heatmap);
    const HeatmapLayout layout = heatmap_layout(heatmap, degrees_up);
    Picture picture;
    picture.title = heatmap.title.empty() ? "Heatmap" : heatmap.title;
    picture.description = fmt::format(
        "{} rows and {} columns of numbers; colours from {} (dark violet) to {} (yellow).",
        layout.rows, layout.columns, number_label(range.first, heatmap.decimals),
        number_label(range.second, heatmap.decimals));
    add_titles(heatmap, layout, picture);
    add_names(layout, picture);
    add_cells(heatmap, layout, range, picture);
    double width = add_color_bar(layout, range, picture);
    if (layout.turned && layout.degrees_up == 45) {
        width = std::max(width, layout.right() + 0.71 * layout.longest_column_name);
    }
    width = std::max(width, heatmap_margin + text_length(short_title(heatmap.title), 16));
    width = std::max(width, layout.left + text_length(shortened(visible_text(heatmap.column_title),
                                                                longest_title, "..."),
                                                      12));
    picture.width = std::ceil(width + heatmap_margin);
    picture.height = std::ceil(layout.top + layout.bar_height() + heatmap_margin);
    return picture;
}

}  // namespace bert
