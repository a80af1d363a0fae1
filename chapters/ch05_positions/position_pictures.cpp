#include "ch05_positions/position_pictures.hpp"

#include <cmath>
#include <string>

#include "ch05_positions/distance.hpp"
#include "ch05_positions/sinusoidal.hpp"

namespace bert {

Heatmap positions_heatmap(std::size_t length, std::size_t width) {
    Heatmap heatmap;
    heatmap.values = sinusoidal_positions(length, width);
    heatmap.title = "Sinusoidal positions";
    heatmap.row_title = "position";
    heatmap.column_title = "dimension";
    heatmap.range = {-1.0, 1.0};
    heatmap.decimals = 1;
    return heatmap;
}

LineChart position_distance_chart(std::size_t longest) {
    LineChart chart;
    chart.title = "Distance of two positions";
    chart.x_title = "shift k";
    chart.y_title = "|PE(pos) - PE(pos+k)| / |PE(pos)|";
    for (const std::size_t width : {8U, 64U, 512U}) {
        Series series{"D = " + std::to_string(width), {}, {}};
        for (std::size_t k = 0; k <= longest; ++k) {
            const double shift = static_cast<double>(k);
            series.x.push_back(shift);
            // Each pair has length 1, so |PE(pos)| is sqrt(D / 2).
            series.y.push_back(position_distance(0.0, shift, width) /
                               std::sqrt(static_cast<double>(width) / 2.0));
        }
        chart.series.push_back(series);
    }
    return chart;
}

}  // namespace bert
