// Sinusoidal positions (Vaswani et al. 2017, section 3.5).
//
//     PE(pos, 2i)   = sin(pos / 10000^(2i / D))
//     PE(pos, 2i+1) = cos(pos / 10000^(2i / D))        i = 0, 1, .., D/2 - 1
//
// D the width. Dimensions 2i and 2i+1 are one pair with one frequency: a clock hand, which moving
// on by k positions turns by the same angle wherever it stands.
#pragma once

#include <cstddef>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// PE(position) (D), in double in every build. The position need not be whole, nor positive.
/// Throws ShapeError unless the width is even and at least 2: an odd one leaves a sine without its
/// cosine; NumericError for a position that is not finite.
std::vector<double> sinusoidal_position(double position, std::size_t width);

/// The rows PE(0) to PE(length - 1): (N, D). Throws ShapeError for length 0 and as above.
Tensor sinusoidal_positions(std::size_t length, std::size_t width);

/// PE(position + shift) from PE(position), without knowing the position: pair i turns by the angle
/// shift / 10000^(2i / D), whose sine and cosine are pair i of PE(shift). Throws as
/// sinusoidal_position(shift, encoding.size()).
std::vector<double> shift_position(const std::vector<double>& encoding, double shift);

}  // namespace bert
