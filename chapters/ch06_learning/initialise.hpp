// Where training starts: random weights of a size that keeps signals neither growing nor dying.
//
//     xavier_uniform      between -a and a, a = sqrt(6 / (in + out))         variance a^2 / 3
//     xavier_normal       standard deviation sqrt(2 / (in + out))
//     truncated_normal    normal, drawn again when more than 2 standard deviations from 0
//
// With y = W x, x of variance 1 in each of its `in` entries, y has variance in * var(W), and on the
// way back the gradient out * var(W): both near 1 for var(W) = 2 / (in + out) (Glorot and Bengio
// 2010; Xavier is the first name of Glorot). BERT draws every weight from the third with 0.02.
// The plain normal distribution is normal() in common/random/random.hpp.
#pragma once

#include "common/random/random.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// A weight of shape (out, in). Both throw ShapeError for a rank other than 2 and for a dimension
/// of size zero.
Tensor xavier_uniform(Random& random, const Shape& shape);
Tensor xavier_normal(Random& random, const Shape& shape);

/// Numbers of any shape. Cutting at 2 leaves 0.8796 of the standard deviation; as in the published
/// BERT that is not made up for. Takes one normal() for each number, and another for each drawn
/// again (4.55 % of them). Throws std::invalid_argument unless stddev is at least 0 and Real can
/// hold twice as much.
Tensor truncated_normal(Random& random, const Shape& shape, double stddev);

}  // namespace bert
