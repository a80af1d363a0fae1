#include "ch05_positions/sinusoidal.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace bert {

namespace {

void require_pairs(double position, std::size_t width) {
    if (width == 0 || width % 2 != 0) {
        throw ShapeError{"sinusoidal_position: width (found " + std::to_string(width) +
                         ", expected even and at least 2: a sine and a cosine a pair)"};
    }
    if (!std::isfinite(position)) {
        throw NumericError{"sinusoidal_position: position " + std::to_string(position) +
                           " is not finite"};
    }
}

}  // namespace

// [sinusoidal]
std::vector<double> sinusoidal_position(double position, std::size_t width) {
    require_pairs(position, width);
    std::vector<double> encoding(width);
    // EXERCISE BEGIN 05-sinusoidal
    for (std::size_t i = 0; i < width / 2; ++i) {
        // STEP angle   pos / 10000^(2i / D)
        const double exponent = static_cast<double>(2 * i) / static_cast<double>(width);
        const double angle = position / std::pow(10000.0, exponent);
        // STEP pair    its sine at dimension 2i, its cosine at 2i + 1
        encoding[2 * i] = std::sin(angle);
        encoding[2 * i + 1] = std::cos(angle);
    }
    // STUB:
    // EXERCISE END
    return encoding;
}
// [sinusoidal]

Tensor sinusoidal_positions(std::size_t length, std::size_t width) {
    if (length == 0) {
        throw ShapeError{"sinusoidal_positions: length 0 with width " + std::to_string(width)};
    }
    require_pairs(0.0, width);
    Tensor table(Shape{length, width});
    for (std::size_t n = 0; n < length; ++n) {
        const std::vector<double> encoding = sinusoidal_position(static_cast<double>(n), width);
        std::transform(encoding.begin(), encoding.end(), table.mutable_row(n).begin(),
                       [](double x) { return static_cast<Real>(x); });
    }
    return table;
}

// [shift]
// sin(a + b) = sin(a) cos(b) + cos(a) sin(b)
// cos(a + b) = cos(a) cos(b) - sin(a) sin(b)
std::vector<double> shift_position(const std::vector<double>& encoding, double shift) {
    const std::vector<double> turn = sinusoidal_position(shift, encoding.size());
    std::vector<double> shifted(encoding.size());
    for (std::size_t s = 0; s < encoding.size(); s += 2) {
        const std::size_t c = s + 1;
        shifted[s] = encoding[s] * turn[c] + encoding[c] * turn[s];
        shifted[c] = encoding[c] * turn[c] - encoding[s] * turn[s];
    }
    return shifted;
}
// [shift]

}  // namespace bert
