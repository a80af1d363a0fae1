// Encodings that are seen in the wild in place of the sinusoidal one, to watch what each gets
// wrong. All take a finite position and an even width of at least 2, and throw as
// sinusoidal_position does.
#pragma once

#include <cstddef>
#include <vector>

namespace bert {

/// All sines, then all cosines: the same numbers in another order. It works, but not with weights
/// that were trained on pairs side by side.
std::vector<double> position_concatenated(double position, std::size_t width);

/// Exponent d / D for each dimension d of its own: the cosine of a pair has another frequency than
/// its sine, and no rotation connects two positions.
std::vector<double> position_unpaired(double position, std::size_t width);

/// Exponent 2d / D with d the dimension, not the pair: unpaired too, and the slowest hand turns at
/// almost 1 / 10000^2.
std::vector<double> position_not_halved(double position, std::size_t width);

/// "Even positions use the sine" taken at its word: sines in every dimension of an even position,
/// cosines in every dimension of an odd one. The position must be whole and not negative;
/// throws std::invalid_argument.
std::vector<double> position_by_parity(double position, std::size_t width);

/// The right formula as exp(-(2i / D) ln 10000) in single precision: the angle is rounded to 24
/// bits, so the error grows with the position.
std::vector<double> position_in_float(double position, std::size_t width);

/// How far the rotation of shift_position misses, over all positions 0 to 63 and this shift:
/// largest |shift_position(f(pos), shift) - f(pos + shift)|.
double shift_error(std::vector<double> (*encode)(double, std::size_t), double shift,
                   std::size_t width);

}  // namespace bert
