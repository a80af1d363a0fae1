#include "common/plot/heatmap_layout.hpp"

#include <cmath>

#include "common/plot/ticks.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

constexpr std::size_t longest_name = 24;  // characters

double longest_length(const std::vector<std::string>& names) {
    double longest = 0.0;
    for (const std::string& name : names)
        longest = std::max(longest, text_length(name, 12));
    return longest;
}

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t count) {
    std::vector<std::string> result = names_or_numbers(names, count);
    for (std::string& name : result)
        name = shortened(name, longest_name, "...");
    return result;
}

void choose_cells(const Heatmap& heatmap, HeatmapLayout& layout) {
    const auto rows = static_cast<double>(layout.rows);
    const auto columns = static_cast<double>(layout.columns);
    layout.numbers = heatmap.show_numbers && heatmap.values.size() <= most_heatmap_boxes;
    double number_width = 0.0;
    if (layout.numbers) {
        for (const Real x : heatmap.values.values()) {
            const std::string text = number_label(static_cast<double>(x), heatmap.decimals);
            number_width = std::max(number_width, text_length(text, 12) + 10.0);
        }
        layout.numbers = columns * number_width <= 1200.0 && rows <= 64.0;
    }
    layout.cell_width = std::clamp(std::floor(720.0 / columns), 1.0, 36.0);
    layout.cell_height = std::clamp(std::floor(560.0 / rows), 1.0, 36.0);
    if (std::min(layout.cell_width, layout.cell_height) >= 6.0) {
        layout.cell_width = layout.cell_height = std::min(layout.cell_width, layout.cell_height);
    }
    if (layout.numbers) {
        layout.cell_width = std::max(layout.cell_width, std::ceil(number_width));
        layout.cell_height = std::max(layout.cell_height, 24.0);
    }
}

}  // namespace

HeatmapLayout heatmap_layout(const Heatmap& heatmap, int degrees_up) {
    HeatmapLayout layout{};
    layout.rows = heatmap.values.dim(0);
    layout.columns = heatmap.values.dim(1);
    layout.row_names = short_names(heatmap.row_names, layout.rows);
    layout.column_names = short_names(heatmap.column_names, layout.columns);
    layout.degrees_up = degrees_up;
    choose_cells(heatmap, layout);
    layout.longest_column_name = longest_length(layout.column_names);
    layout.turned = layout.longest_column_name > layout.cell_width - 4.0;
    const double rise = degrees_up == 45 ? 0.71 * layout.longest_column_name + heatmap_gap
                                         : layout.longest_column_name;
    layout.left = heatmap_margin + longest_length(layout.row_names) + heatmap_gap;
    layout.top = heatmap_margin + (layout.turned ? rise : heatmap_line) + heatmap_gap;
    if (!heatmap.row_title.empty()) layout.left += heatmap_line + heatmap_gap;
    if (!heatmap.column_title.empty()) layout.top += heatmap_line + heatmap_gap;
    if (!heatmap.title.empty()) layout.top += 1.5 * heatmap_line;
    layout.left = std::ceil(layout.left);
    layout.top = std::ceil(layout.top);
    return layout;
}

}  // namespace bert
