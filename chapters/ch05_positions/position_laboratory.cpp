#include "ch05_positions/position_laboratory.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "ch05_positions/sinusoidal.hpp"

namespace bert {

namespace {

// Dimension d holds the sine or cosine of position / 10000^(step d / D).
std::vector<double> with_own_frequencies(double position, std::size_t width, std::size_t step) {
    std::vector<double> encoding = sinusoidal_position(position, width);
    for (std::size_t d = 0; d < width; ++d) {
        const double exponent = static_cast<double>(step * d) / static_cast<double>(width);
        const double angle = position / std::pow(10000.0, exponent);
        encoding[d] = d % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
    return encoding;
}

}  // namespace

std::vector<double> position_concatenated(double position, std::size_t width) {
    const std::vector<double> pairs = sinusoidal_position(position, width);
    std::vector<double> encoding(width);
    for (std::size_t i = 0; i < width / 2; ++i) {
        encoding[i] = pairs[2 * i];
        encoding[width / 2 + i] = pairs[2 * i + 1];
    }
    return encoding;
}

std::vector<double> position_unpaired(double position, std::size_t width) {
    return with_own_frequencies(position, width, 1);
}

std::vector<double> position_not_halved(double position, std::size_t width) {
    return with_own_frequencies(position, width, 2);
}

std::vector<double> position_by_parity(double position, std::size_t width) {
    std::vector<double> encoding = sinusoidal_position(position, width);
    const double parity = std::fmod(position, 2.0);
    if (parity != 0.0 && parity != 1.0) {
        throw std::invalid_argument{"position_by_parity: position (found " +
                                    std::to_string(position) +
                                    ", expected whole and not negative)"};
    }
    for (std::size_t d = 0; d < width; d += 2) {
        const std::size_t kept = parity == 0.0 ? d : d + 1;  // the sine or the cosine
        encoding[d] = encoding[d + 1] = encoding[kept];
    }
    return encoding;
}

std::vector<double> position_in_float(double position, std::size_t width) {
    std::vector<double> encoding = sinusoidal_position(position, width);
    const float rate = -std::log(10000.0F) / static_cast<float>(width);
    for (std::size_t d = 0; d < width; d += 2) {
        const float angle = static_cast<float>(position) * std::exp(static_cast<float>(d) * rate);
        encoding[d] = static_cast<double>(std::sin(angle));
        encoding[d + 1] = static_cast<double>(std::cos(angle));
    }
    return encoding;
}

double shift_error(std::vector<double> (*encode)(double, std::size_t), double shift,
                   std::size_t width) {
    double largest = 0.0;
    for (int position = 0; position < 64; ++position) {
        const std::vector<double> turned = shift_position(encode(position, width), shift);
        const std::vector<double> expected = encode(position + shift, width);
        for (std::size_t d = 0; d < width; ++d) {
            largest = std::max(largest, std::abs(turned[d] - expected[d]));
        }
    }
    return largest;
}

}  // namespace bert
