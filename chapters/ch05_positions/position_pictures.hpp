// The chapter's two pictures, as data for common/plot.
#pragma once

#include <cstddef>

#include "common/plot/heatmap.hpp"
#include "common/plot/line_chart.hpp"

namespace bert {

/// The table of sinusoidal_positions(length, width), one row a position. Throws as that does.
Heatmap positions_heatmap(std::size_t length, std::size_t width);

/// |PE(pos) - PE(pos + k)| / |PE(pos)| against k = 0 .. longest, a curve for each of three widths.
LineChart position_distance_chart(std::size_t longest);

}  // namespace bert
