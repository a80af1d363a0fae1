#include "ch07_encoder/mistakes.hpp"

#include <cmath>

#include "ch07_encoder/layer_norm.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

Tensor layer_norm_with(NormMistake mistake, const Tensor& x, double epsilon) {
    const bool needs_two = mistake == NormMistake::divided_by_d_minus_1;
    if (x.rank() != 2 || x.size() == 0 || (needs_two && x.dim(1) == 1)) {
        throw ShapeError{"layer_norm_with: x " + to_string(x.shape()) +
                         " is not (T, D) with something to normalise"};
    }
    if (mistake == NormMistake::over_positions)
        return transpose(layer_norm_with(NormMistake::none, transpose(x), epsilon));
    Tensor y(x.shape());
    for (std::size_t r = 0; r < x.num_rows(); ++r) {
        const auto [mean, inverse_deviation] = row_statistics(x.row(r), epsilon);
        double variance = 1.0 / (inverse_deviation * inverse_deviation) - epsilon;
        const auto width = static_cast<double>(x.dim(1));
        if (mistake == NormMistake::divided_by_d_minus_1) variance *= width / (width - 1.0);
        const double deviation = mistake == NormMistake::epsilon_outside
                                     ? std::sqrt(variance) + epsilon
                                     : std::sqrt(variance + epsilon);
        for (std::size_t d = 0; d < x.dim(1); ++d) {
            y(r, d) = static_cast<Real>((static_cast<double>(x(r, d)) - mean) / deviation);
        }
    }
    return y;
}

}  // namespace bert
