// How far apart two positions are for a model that sees only their encodings.
//
// With w[i] = 1 / 10000^(2i / D), pair i of two positions a and b gives
// sin(a w) sin(b w) + cos(a w) cos(b w) = cos((b - a) w): only the shift b - a counts.
//
//     similarity(k) = (2 / D) * sum over i of cos(k w[i])       |PE(a) - PE(a + k)|^2
//                                                                  = D * (1 - similarity(k))
#pragma once

#include <cstddef>

namespace bert {

/// |PE(a) - PE(b)|, from the two encodings. Throws as sinusoidal_position does.
double position_distance(double a, double b, std::size_t width);

/// The cosine of the angle between PE(pos) and PE(pos + shift), from the formula above: 1 for shift
/// 0, the same for every pos. Throws as sinusoidal_position does.
double position_similarity(double shift, std::size_t width);

}  // namespace bert
