#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "common/attention_map/attention_dump.hpp"
#include "common/plot/colormap.hpp"
#include "common/plot/ticks.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

constexpr std::size_t most_maps = 128;
constexpr double margin = 16.0;
constexpr double line = 16.0;
constexpr double gap = 6.0;
constexpr double bar_width = 14.0;
constexpr Color frame_color{90, 90, 90};

struct Grid {
    double side;  // of a map
    double left;  // of the first one
    double top;
    double greatest;  // weight
    std::size_t sequence;

    double x(std::size_t head) const { return left + static_cast<double>(head) * (side + gap); }
    double y(std::size_t layer) const { return top + static_cast<double>(layer) * (side + gap); }
};

double greatest_weight(const AttentionDump& dump, std::size_t sequence) {
    const Shape& shape = dump.attentions.shape();
    const std::size_t count = shape[2] * shape[3] * shape[4];
    Real greatest{0};
    for (std::size_t l = 0; l < shape[0]; ++l) {
        const Real* first = dump.attentions.data() + (l * shape[1] + sequence) * count;
        greatest = std::max(greatest, *std::max_element(first, first + count));
    }
    return greatest > 0 ? static_cast<double>(greatest) : 1.0;
}

void add_frame(double x, double y, double width, double height, Picture& picture) {
    picture.shapes.emplace_back(
        Polyline{{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}},
                 frame_color,
                 1.0,
                 {}});
}

void add_map(const AttentionDump& dump, const Grid& grid, std::size_t layer, std::size_t head,
             Picture& picture) {
    const Shape& shape = dump.attentions.shape();
    const std::size_t targets = shape[3];
    const std::size_t sources = shape[4];
    const auto pixels = static_cast<std::size_t>(grid.side) * png_pixels_per_unit;
    Mosaic mosaic{grid.x(head),
                  grid.y(layer),
                  grid.side,
                  grid.side,
                  std::min(targets, pixels),
                  std::min(sources, pixels),
                  {}};
    std::vector<Real> greatest(mosaic.rows * mosaic.columns);
    const std::size_t first = ((layer * shape[1] + grid.sequence) * shape[2] + head) * targets;
    for (std::size_t t = 0; t < targets; ++t) {
        const std::span<const Real> row = dump.attentions.row(first + t);
        const std::size_t r = t * mosaic.rows / targets;
        for (std::size_t s = 0; s < sources; ++s) {
            Real& cell = greatest[r * mosaic.columns + s * mosaic.columns / sources];
            cell = std::max(cell, row[s]);
        }
    }
    for (const Real weight : greatest)
        mosaic.cells.push_back(viridis(static_cast<double>(weight) / grid.greatest));
    picture.shapes.emplace_back(std::move(mosaic));
    add_frame(grid.x(head), grid.y(layer), grid.side, grid.side, picture);
}

// Returns the x where the bar's numbers end.
double add_color_bar(const Grid& grid, double x, double height, Picture& picture) {
    constexpr std::size_t steps = 64;
    Mosaic bar{x, grid.top, bar_width, height, steps, 1, {}};
    for (std::size_t i = 0; i < steps; ++i)
        bar.cells.push_back(viridis(1.0 - (static_cast<double>(i) + 0.5) / steps));
    picture.shapes.emplace_back(std::move(bar));
    add_frame(x, grid.top, bar_width, height, picture);
    double end = x + bar_width;
    for (const Tick& tick : linear_ticks(0.0, grid.greatest, 3)) {
        const double y = grid.top + height * (1.0 - tick.value / grid.greatest);
        picture.shapes.emplace_back(Label{x + bar_width + gap, y, tick.label});
        end = std::max(end, x + bar_width + gap + text_length(tick.label, 12));
    }
    return end;
}

void add_names(const AttentionDump& dump, const Grid& grid, Picture& picture) {
    picture.shapes.emplace_back(Label{grid.left, grid.top - 1.5 * line - gap, "head"});
    for (std::size_t h = 0; h < dump.heads.size(); ++h) {
        picture.shapes.emplace_back(Label{grid.x(h) + 0.5 * grid.side, grid.top - 0.5 * line - gap,
                                          std::to_string(dump.heads[h]), Anchor::middle});
    }
    for (std::size_t l = 0; l < dump.layers.size(); ++l) {
        picture.shapes.emplace_back(Label{grid.left - gap, grid.y(l) + 0.5 * grid.side,
                                          fmt::format("layer {}", dump.layers[l]), Anchor::end});
    }
}

}  // namespace

Picture attention_grid(const AttentionDump& dump, std::size_t sequence) {
    validate(dump);
    const Shape& shape = dump.attentions.shape();
    if (sequence >= shape[1] || shape[0] > most_maps || shape[2] > most_maps) {
        throw ShapeError{fmt::format(
            "attention_grid: sequence {} of attentions {} (expected one that is there, and at most "
            "{} layers and heads)",
            sequence, with_letters(shape, "LBHTS"), most_maps)};
    }
    const std::string title = shortened(visible_text(dump.title), 90, "...");
    double longest = 0.0;
    for (const std::int32_t layer : dump.layers)
        longest = std::max(longest, text_length(fmt::format("layer {}", layer), 12));
    const std::size_t most = std::max(shape[0], shape[2]);
    const Grid grid{std::clamp(std::floor(960.0 / static_cast<double>(most)), 24.0, 96.0),
                    std::ceil(margin + longest + gap),
                    margin + (title.empty() ? 0.0 : 1.5 * line) + 2.0 * line + gap,
                    greatest_weight(dump, sequence), sequence};
    Picture picture;
    picture.title = title.empty() ? "Attention maps" : title;
    picture.description = fmt::format(
        "{} layers of {} heads, each a map of {} queries (rows) and {} keys (columns); colours "
        "from 0 (dark violet) to {} (yellow).",
        shape[0], shape[2], shape[3], shape[4], number_label(grid.greatest, 2));
    if (!title.empty()) {
        picture.shapes.emplace_back(Label{margin, margin + 0.5 * line, title, Anchor::start, 16});
    }
    add_names(dump, grid, picture);
    for (std::size_t l = 0; l < shape[0]; ++l) {
        for (std::size_t h = 0; h < shape[2]; ++h)
            add_map(dump, grid, l, h, picture);
    }
    const double height = std::max(grid.y(shape[0]) - gap - grid.top, 96.0);
    const double end = add_color_bar(grid, grid.x(shape[2]) + 10.0, height, picture);
    picture.width = std::ceil(std::max(end, margin + text_length(title, 16)) + margin);
    picture.height = std::ceil(grid.top + height + margin);
    return picture;
}

}  // namespace bert
