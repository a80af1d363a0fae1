// Heatmaps and charts as text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/plot/heatmap.hpp"
#include "common/plot/line_chart.hpp"

namespace bert {

struct TerminalStyle {
    bool unicode = false;       // else ASCII alone
    bool colour = false;        // escape sequences, 256 colours
    bool true_colour = false;   // with colour: 24 bits instead
    std::size_t columns = 100;  // width of the terminal
};

/// What this process's environment asks for:
/// colour    not if NO_COLOR is set; else yes if CLICOLOR_FORCE is set and not "0"; else if `fd` is
///           a terminal and TERM is set and not "dumb". An empty variable counts as unset.
/// 24 bits   COLORTERM is "truecolor" or "24bit".
/// unicode   the first of LC_ALL, LC_CTYPE and LANG that is set names UTF-8.
/// columns   of the terminal behind `fd`; 100 when it is none.
TerminalStyle detect_terminal_style(int fd);

/// The heatmap with a shade (or colour) a cell, numbers where they fit beside up to 12 columns, and
/// a line that explains the shades. No line is wider than style.columns, but for at least one
/// column of cells; a last line tells which columns were left out. Names and titles are made
/// visible first. Throws as heatmap_svg.
std::string terminal_heatmap(const Heatmap& heatmap, const TerminalStyle& style);

/// The chart on 16 lines, each curve drawn with a mark of its own. Throws as line_chart_svg.
std::string terminal_line_chart(const LineChart& chart, const TerminalStyle& style);

/// Text of unknown origin as it may be shown in this style, at most `width` columns.
std::string terminal_text(std::string_view text, std::size_t width, const TerminalStyle& style);

}  // namespace bert
