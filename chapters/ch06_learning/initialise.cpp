#include "ch06_learning/initialise.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace bert {

namespace {

double in_plus_out(std::string_view function, const Shape& shape) {
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
        throw ShapeError{std::string{function} + ": shape " + to_string(shape) +
                         " is not (out, in) with both above 0"};
    }
    return static_cast<double>(shape[0]) + static_cast<double>(shape[1]);
}

}  // namespace
Tensor xavier_uniform(Random& random, const Shape& shape) {
    const double a = std::sqrt(6.0 / in_plus_out("xavier_uniform", shape));
    return uniform(random, shape, -a, a);
}

Tensor xavier_normal(Random& random, const Shape& shape) {
    return normal(random, shape, 0.0, std::sqrt(2.0 / in_plus_out("xavier_normal", shape)));
}
Tensor truncated_normal(Random& random, const Shape& shape, double stddev) {
    if (!(stddev >= 0.0 && std::isfinite(static_cast<Real>(2.0 * stddev)))) {
        throw std::invalid_argument{fmt::format(
            "truncated_normal: standard deviation (found {}, expected at least 0 and finite)",
            stddev)};
    }
    Tensor x = Tensor::for_overwrite(shape);
    std::generate_n(x.mutable_data(), x.size(), [&random, stddev] {
        double z = random.normal();
        while (std::abs(z) > 2.0)
            z = random.normal();
        return static_cast<Real>(stddev * z);
    });
    return x;
}

}  // namespace bert
