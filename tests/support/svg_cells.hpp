// The cells of a heatmap in SVG, by the titles that a pointer shows.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace bert::test {

struct SvgCell {
    std::string name;  // "black, noir"
    double number;
};

inline std::vector<SvgCell> svg_cells(const std::string& svg) {
    std::vector<SvgCell> cells;
    const std::regex cell{"<title>([^<:]*): ([0-9.]+)</title>"};
    for (std::sregex_iterator at{svg.begin(), svg.end(), cell}, end; at != end; ++at)
        cells.push_back({at->str(1), std::stod(at->str(2))});
    return cells;
}

}  // namespace bert::test
