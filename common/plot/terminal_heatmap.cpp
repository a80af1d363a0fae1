#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "common/plot/terminal.hpp"
#include "common/plot/ticks.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

constexpr std::array<std::string_view, 5> unicode_shades{" ", "░", "▒", "▓", "█"};
constexpr std::array<std::string_view, 10> ascii_shades{" ", ".", ":", "-", "=",
                                                        "+", "*", "#", "%", "@"};
constexpr std::string_view reset = "\x1b[0m";

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
    const std::size_t have = display_width(text);
    const std::string blanks(width > have ? width - have : 0, ' ');
    return to_the_right ? blanks + text : text + blanks;
}

// Two columns of the shade for t in [0, 1].
std::string shade(double t, bool unicode) {
    const std::size_t levels = unicode ? unicode_shades.size() : ascii_shades.size();
    const double level = std::clamp(t, 0.0, 1.0) * static_cast<double>(levels);
    const std::size_t index = std::min(static_cast<std::size_t>(level), levels - 1);
    const std::string_view mark = unicode ? unicode_shades[index] : ascii_shades[index];
    return std::string{mark} + std::string{mark};
}

constexpr std::array<int, 6> cube_levels{0, 95, 135, 175, 215, 255};

// The nearest of the six levels that a channel has among 256 colours.
std::size_t cube_step(std::uint8_t channel) {
    const auto distance = [channel](int level) { return std::abs(level - channel); };
    const auto* const nearest =
        std::min_element(cube_levels.begin(), cube_levels.end(),
                         [&](int a, int b) { return distance(a) < distance(b); });
    return static_cast<std::size_t>(nearest - cube_levels.begin());
}

// Text on a background of this colour.
std::string on_colour(Color color, const std::string& text, bool true_colour) {
    std::string background = fmt::format("48;2;{};{};{}", color.red, color.green, color.blue);
    if (!true_colour) {
        const std::size_t r = cube_step(color.red);
        const std::size_t g = cube_step(color.green);
        const std::size_t b = cube_step(color.blue);
        background = fmt::format("48;5;{}", 16 + 36 * r + 6 * g + b);
        color = {static_cast<std::uint8_t>(cube_levels[r]),
                 static_cast<std::uint8_t>(cube_levels[g]),
                 static_cast<std::uint8_t>(cube_levels[b])};
    }
    const int foreground = text_color_on(color) == black ? 16 : 231;
    return fmt::format("\x1b[38;5;{};{}m{}{}", foreground, background, text, reset);
}

struct Table {
    const Heatmap& heatmap;
    const TerminalStyle& style;
    std::pair<double, double> range;
    std::vector<std::string> row_names;
    std::vector<std::string> column_names;
    std::size_t name_width = 0;
    std::size_t cell_width = 2;
    std::size_t gap = 0;  // between two cells
    bool numbers = false;
    std::size_t shown = 0;  // columns of cells

    std::size_t line_width(std::size_t cells, std::size_t cell, std::size_t space) const {
        return name_width + 1 + cells * (cell + space);
    }
};

std::vector<std::string> names_of(const std::vector<std::string>& names, std::size_t count,
                                  std::size_t width, const TerminalStyle& style) {
    std::vector<std::string> result = names_or_numbers(names, count);
    for (std::string& name : result)
        name = terminal_text(name, width, style);
    return result;
}

std::size_t widest(const std::vector<std::string>& texts) {
    std::size_t width = 0;
    for (const std::string& text : texts)
        width = std::max(width, display_width(text));
    return width;
}

void choose_cells(Table& table) {
    constexpr std::size_t most_with_numbers = 12;
    const std::size_t columns = table.column_names.size();
    std::size_t needed = 0;
    for (const Real x : table.heatmap.values.values()) {
        needed =
            std::max(needed, number_label(static_cast<double>(x), table.heatmap.decimals).size());
    }
    needed += table.style.colour ? 2 : 3;  // blanks around the number, or a shade before it
    const std::size_t gap = table.style.colour ? 0 : 2;
    const std::size_t wished =
        std::clamp<std::size_t>(widest(table.column_names) + (table.style.colour ? 1 : 0), needed,
                                std::max<std::size_t>(needed, 15));
    for (const std::size_t cell : {wished, needed}) {
        const bool fits = table.line_width(columns, cell, gap) <= table.style.columns;
        if (columns > most_with_numbers || !fits) continue;
        table.numbers = true;
        table.cell_width = cell;
        table.gap = gap;
        break;
    }
    const std::size_t left = table.line_width(0, 0, 0);
    const std::size_t room = table.style.columns > left ? table.style.columns - left : 0;
    const std::size_t fitting = room / (table.cell_width + table.gap);
    table.shown = std::clamp<std::size_t>(fitting, 1, columns);
}

Table table_of(const Heatmap& heatmap, const TerminalStyle& style) {
    Table table{heatmap, style, color_range(heatmap), {}, {}};
    const std::size_t longest = std::clamp<std::size_t>(style.columns / 4, 4, 20);
    table.row_names = names_of(heatmap.row_names, heatmap.values.dim(0), longest, style);
    table.column_names = names_of(heatmap.column_names, heatmap.values.dim(1), 14, style);
    table.name_width = widest(table.row_names);
    choose_cells(table);
    return table;
}

std::string without_blanks_at_end(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

// Names above their columns; from top to bottom where a column has room for one letter only.
std::string column_header(const Table& table) {
    const std::string indent(table.name_width + 1, ' ');
    std::string line = indent;
    if (table.numbers) {
        for (std::size_t c = 0; c < table.shown; ++c) {
            // Right above the numbers, which in colour have a blank after them.
            const std::size_t width = table.cell_width - (table.style.colour ? 1 : 0);
            const std::string name = terminal_text(table.column_names[c], width, table.style);
            line +=
                padded(name, width, true) + std::string(table.style.colour ? 1 : table.gap, ' ');
        }
        return without_blanks_at_end(line);
    }
    std::vector<std::vector<std::string>> letters(table.shown);
    std::size_t height = 0;
    for (std::size_t c = 0; c < table.shown; ++c) {
        letters[c] = letters_of(terminal_text(table.column_names[c], 10, table.style));
        height = std::max(height, letters[c].size());
    }
    std::string header;
    for (std::size_t i = 0; i < height; ++i) {
        line = indent;
        for (const std::vector<std::string>& name : letters) {
            const std::size_t above = height - name.size();
            line += padded(i < above ? "" : name[i - above], 2, false);
        }
        header += without_blanks_at_end(line);
    }
    return header;
}

std::string cell_text(const Table& table, double value) {
    const double t = fraction_of(value, table.range);
    const std::string number =
        table.numbers ? number_label(value, table.heatmap.decimals) : std::string{};
    if (table.style.colour) {
        const std::string text = table.numbers ? padded(number, table.cell_width - 1, true) + " "
                                               : std::string(table.cell_width, ' ');
        return on_colour(viridis(t), text, table.style.true_colour);
    }
    const std::string mark = shade(t, table.style.unicode);
    if (!table.numbers) return mark;
    return padded(mark + " " + number, table.cell_width, true);
}

std::string legend(const Table& table) {
    std::string scale;
    const std::size_t levels = table.style.colour    ? 16
                               : table.style.unicode ? unicode_shades.size()
                                                     : ascii_shades.size();
    for (std::size_t i = 0; i < levels; ++i) {
        const double t = (static_cast<double>(i) + 0.5) / static_cast<double>(levels);
        scale += table.style.colour ? on_colour(viridis(t), "  ", table.style.true_colour)
                                    : shade(t, table.style.unicode);
    }
    return fmt::format("scale: {} [{}] {}\n",
                       number_label(table.range.first, table.heatmap.decimals), scale,
                       number_label(table.range.second, table.heatmap.decimals));
}

std::string titles(const Heatmap& heatmap, const TerminalStyle& style) {
    const auto shown = [&](const std::string& text, std::size_t width) {
        return terminal_text(text, width, style);
    };
    std::string text;
    if (!heatmap.title.empty()) text += shown(heatmap.title, style.columns) + "\n";
    std::string axes;
    if (!heatmap.row_title.empty()) axes = "rows: " + shown(heatmap.row_title, 40);
    if (!heatmap.column_title.empty()) {
        axes += (axes.empty() ? "columns: " : ", columns: ") + shown(heatmap.column_title, 40);
    }
    return axes.empty() ? text : text + shown(axes, style.columns) + "\n";
}

}  // namespace

std::string terminal_heatmap(const Heatmap& heatmap, const TerminalStyle& style) {
    const Table table = table_of(heatmap, style);
    std::string text = titles(heatmap, style) + column_header(table);
    for (std::size_t r = 0; r < table.row_names.size(); ++r) {
        std::string line = padded(table.row_names[r], table.name_width, true) + " ";
        for (std::size_t c = 0; c < table.shown; ++c) {
            line += cell_text(table, static_cast<double>(heatmap.values(r, c)));
            line += std::string(table.gap, ' ');
        }
        text += without_blanks_at_end(line);
    }
    text += legend(table);
    if (table.shown < table.column_names.size()) {
        text += fmt::format("columns {} to {} are left out: no room\n", table.shown,
                            table.column_names.size() - 1);
    }
    return text;
}

}  // namespace bert
