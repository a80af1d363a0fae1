#include "common/tensor/reduce.hpp"

#include <algorithm>

#include "common/tensor/layout.hpp"

namespace bert {

namespace {

// The elements of one axis, for one choice of all other indices.
struct Run {
    const Real* first;
    std::size_t size;
    std::size_t stride;

    double operator[](std::size_t i) const { return static_cast<double>(first[i * stride]); }
};

template <typename Operation>
Tensor reduce(std::string_view name, const Tensor& x, int axis, Operation operation) {
    const std::size_t at = positive_axis(name, x, axis);
    const std::size_t size = x.shape()[at];
    Shape shape = x.shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
    const auto behind = shape.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t stride = element_count(Shape(behind, shape.end()));

    Tensor result(shape);
    Real* const out = result.mutable_data();
#pragma omp parallel for if (x.size() > 65536)
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Real* const first = x.data() + (i / stride) * size * stride + i % stride;
        out[i] = static_cast<Real>(operation(Run{first, size, stride}));
    }
    return result;
}

double total(const Run& run) {
    double sum = 0.0;
    for (std::size_t i = 0; i < run.size; ++i)
        sum += run[i];
    return sum;
}

void require_elements(std::string_view name, const Tensor& x, int axis) {
    if (x.shape()[positive_axis(name, x, axis)] > 0) return;
    throw ShapeError{std::string{name} + ": axis " + std::to_string(axis) + " of shape " +
                     to_string(x.shape()) + " has size zero"};
}

}  // namespace

Tensor sum(const Tensor& x, int axis) {
    return reduce("sum", x, axis, total);
}

Tensor mean(const Tensor& x, int axis) {
    require_elements("mean", x, axis);
    return reduce("mean", x, axis,
                  [](const Run& run) { return total(run) / static_cast<double>(run.size); });
}

Tensor max(const Tensor& x, int axis) {
    require_elements("max", x, axis);
    return reduce("max", x, axis, [](const Run& run) {
        double largest = run[0];
        for (std::size_t i = 1; i < run.size; ++i) {
            // !(a <= b) lets a NaN win, and stay.
            if (!(run[i] <= largest) && largest == largest) largest = run[i];
        }
        return largest;
    });
}

}  // namespace bert
