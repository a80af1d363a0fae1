#include "common/tensor/reduce.hpp"

#include <cmath>

#include <algorithm>

#include "common/autograd/remember.hpp"
#include "common/tensor/elementwise.hpp"
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

    Tensor result = Tensor::for_overwrite(shape);
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

// g, (.., ..) without the axis, repeated along it to the shape of x.
Tensor repeat_along(const Tensor& g, int axis, const Shape& shape) {
    const std::size_t at =
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
    Shape with_axis = shape;
    with_axis[at] = 1;
    return broadcast_to(g.reshaped(with_axis), shape);
}

// 1 where x is the largest of its run (each of several equal ones), else 0.
Tensor marks_of_largest(const Tensor& x, const Tensor& largest) {
    Tensor marks = Tensor::for_overwrite(x.shape());
    std::transform(x.data(), x.data() + x.size(), largest.data(), marks.mutable_data(),
                   [](Real value, Real most) { return value == most ? Real{1} : Real{0}; });
    return marks;
}

}  // namespace

// y = sum over i of x[i]:  dx[i] = g
Tensor sum(const Tensor& x, int axis) {
    const auto gradient = [axis](const BackwardStep& step) -> std::vector<Tensor> {
        return {repeat_along(step.output_gradient(), axis, step.input_shape(0))};
    };
    return remember(reduce("sum", x, axis, total), {x}, gradient, Keep::shapes);
}

// y = (1 / n) sum over i of x[i]:  dx[i] = g / n
Tensor mean(const Tensor& x, int axis) {
    require_elements("mean", x, axis);
    const std::size_t n = x.dim(axis);
    const auto gradient = [axis, n](const BackwardStep& step) -> std::vector<Tensor> {
        const Real share = static_cast<Real>(1.0 / static_cast<double>(n));
        return {repeat_along(step.output_gradient(), axis, step.input_shape(0)) * share};
    };
    const auto average = [n](const Run& run) { return total(run) / static_cast<double>(n); };
    return remember(reduce("mean", x, axis, average), {x}, gradient, Keep::shapes);
}

// y = the largest x[i]:  dx[i] = g for that i and 0 for the others. Several equal ones share g
// evenly; there the maximum has no derivative, and this is the mean of the one-sided ones.
Tensor max(const Tensor& x, int axis) {
    require_elements("max", x, axis);
    const auto gradient = [axis](const BackwardStep& step) -> std::vector<Tensor> {
        const Shape& shape = step.input_shape(0);
        Tensor marks = marks_of_largest(step.input(0), repeat_along(step.output(), axis, shape));
        const Tensor counts = sum(marks, axis);
        Tensor shares = step.output_gradient();
        for (std::size_t i = 0; i < shares.size(); ++i)
            shares.mutable_data()[i] /= counts.data()[i];
        return {marks * repeat_along(shares, axis, shape)};
    };
    const auto largest_of = [](const Run& run) {
        double largest = run[0];
        for (std::size_t i = 1; i < run.size; ++i) {
            // !(a <= b) lets a NaN win, and stay.
            if (!(run[i] <= largest) && largest == largest) largest = run[i];
        }
        return largest;
    };
    return remember(reduce("max", x, axis, largest_of), {x}, gradient, Keep::all);
}

double largest_difference(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) {
        throw ShapeError{"largest_difference: " + to_string(a.shape()) + " and " +
                         to_string(b.shape())};
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference =
            std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
        if (!(difference <= largest)) largest = difference;
        if (std::isnan(difference)) break;
    }
    return largest;
}

}  // namespace bert
