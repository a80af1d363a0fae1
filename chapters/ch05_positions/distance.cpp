#include "ch05_positions/distance.hpp"

#include <cmath>
#include <vector>

#include "ch05_positions/sinusoidal.hpp"

namespace bert {

double position_distance(double a, double b, std::size_t width) {
    const std::vector<double> encoding_a = sinusoidal_position(a, width);
    const std::vector<double> encoding_b = sinusoidal_position(b, width);
    double sum = 0.0;
    for (std::size_t d = 0; d < width; ++d) {
        const double difference = encoding_a[d] - encoding_b[d];
        sum += difference * difference;
    }
    return std::sqrt(sum);
}

double position_similarity(double shift, std::size_t width) {
    const std::vector<double> turn = sinusoidal_position(shift, width);
    double sum = 0.0;
    for (std::size_t c = 1; c < width; c += 2) {
        sum += turn[c];  // cos(shift * w[i])
    }
    return sum * 2.0 / static_cast<double>(width);
}

}  // namespace bert
