#include "common/tensor/layout.hpp"

#include <algorithm>
#include <utility>

#include "common/autograd/remember.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

namespace {

// A tensor seen as (outer, axis, inner).
struct AxisView {
    std::size_t outer;
    std::size_t size;
    std::size_t inner;
};

AxisView view_axis(const Shape& shape, std::size_t axis) {
    const auto middle = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    return {element_count(Shape(shape.begin(), middle)), *middle,
            element_count(Shape(middle + 1, shape.end()))};
}

}  // namespace

std::size_t positive_axis(std::string_view function, const Tensor& x, int axis) {
    const int rank = static_cast<int>(x.rank());
    if (axis < -rank || axis >= rank) {
        throw ShapeError{std::string{function} + ": no axis " + std::to_string(axis) +
                         " in shape " + to_string(x.shape())};
    }
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

// The same numbers:  dx = g, in the shape of x
Tensor reshape(const Tensor& x, Shape shape) {
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        return {step.output_gradient().reshaped(step.input_shape(0))};
    };
    return remember(x.reshaped(std::move(shape)), {x}, gradient, Keep::shapes);
}

namespace {

Tensor exchange_axes(const Tensor& x, int axis_a, int axis_b) {
    std::size_t first = positive_axis("transpose", x, axis_a);
    std::size_t second = positive_axis("transpose", x, axis_b);
    if (first > second) std::swap(first, second);
    if (first == second) return detach(x);

    Shape shape = x.shape();
    std::swap(shape[first], shape[second]);
    Tensor result = Tensor::for_overwrite(shape);
    if (result.size() == 0) return result;
    // x is (outer, A, middle, B, inner); the result is (outer, B, middle, A, inner).
    const AxisView view_a = view_axis(x.shape(), first);
    const AxisView view_b = view_axis(x.shape(), second);
    const std::size_t outer = view_a.outer;
    const std::size_t size_a = view_a.size;
    const std::size_t middle = view_b.outer / (outer * size_a);
    const std::size_t size_b = view_b.size;
    const std::size_t inner = view_b.inner;
    Real* const out = result.mutable_data();
#pragma omp parallel for collapse(2) if (x.size() > 65536)
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t b = 0; b < size_b; ++b) {
            for (std::size_t m = 0; m < middle; ++m) {
                for (std::size_t a = 0; a < size_a; ++a) {
                    const std::size_t from = ((o * size_a + a) * middle + m) * size_b + b;
                    const std::size_t to = ((o * size_b + b) * middle + m) * size_a + a;
                    std::copy_n(x.data() + from * inner, inner, out + to * inner);
                }
            }
        }
    }
    return result;
}

// x, and zeros around it: the part [begin, begin + size of x) along the axis of this shape.
Tensor surround_with_zeros(const Tensor& x, const Shape& shape, std::size_t at, std::size_t begin) {
    Tensor result(shape);
    if (x.size() == 0) return result;
    const auto [outer, size, inner] = view_axis(shape, at);
    const std::size_t run = x.shape()[at] * inner;
    Real* const out = result.mutable_data();
    for (std::size_t o = 0; o < outer; ++o)
        std::copy_n(x.data() + o * run, run, out + (o * size + begin) * inner);
    return result;
}

}  // namespace

// y[a, b] = x[b, a]:  dx[b, a] = g[a, b]
Tensor transpose(const Tensor& x, int axis_a, int axis_b) {
    const auto gradient = [axis_a, axis_b](const BackwardStep& step) -> std::vector<Tensor> {
        return {exchange_axes(step.output_gradient(), axis_a, axis_b)};
    };
    return remember(exchange_axes(x, axis_a, axis_b), {x}, gradient, Keep::shapes);
}

// y[i] = x[begin + i]:  dx[begin + i] = g[i], and 0 outside
Tensor slice(const Tensor& x, int axis, std::size_t begin, std::size_t end) {
    const std::size_t at = positive_axis("slice", x, axis);
    const auto [outer, size, inner] = view_axis(x.shape(), at);
    if (begin > end || end > size) {
        throw ShapeError{"slice: [" + std::to_string(begin) + ", " + std::to_string(end) +
                         ") is not inside axis " + std::to_string(axis) + " of shape " +
                         to_string(x.shape())};
    }
    Shape shape = x.shape();
    shape[at] = end - begin;
    Tensor result = Tensor::for_overwrite(shape);
    const std::size_t run = (end - begin) * inner;
    Real* const out = result.mutable_data();
    for (std::size_t o = 0; o < outer && run > 0; ++o)
        std::copy_n(x.data() + (o * size + begin) * inner, run, out + o * run);
    const auto gradient = [at, begin](const BackwardStep& step) -> std::vector<Tensor> {
        return {surround_with_zeros(step.output_gradient(), step.input_shape(0), at, begin)};
    };
    return remember(result, {x}, gradient, Keep::shapes);
}

// y = [a, b, ..]:  da, db, .. = the parts of g in their places
struct ConcatGradient {
    std::size_t at;
    std::size_t parts;

    std::vector<Tensor> operator()(const BackwardStep& step) const {
        std::vector<Tensor> gradients;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < parts; ++i) {
            const std::size_t end = begin + step.input_shape(i)[at];
            gradients.push_back(slice(step.output_gradient(), static_cast<int>(at), begin, end));
            begin = end;
        }
        return gradients;
    }
};

Tensor concat(const std::vector<Tensor>& parts, int axis) {
    if (parts.empty()) throw ShapeError{"concat: nothing to join"};
    const std::size_t at = positive_axis("concat", parts.front(), axis);
    Shape shape = parts.front().shape();
    shape[at] = 0;
    for (const Tensor& part : parts) {
        Shape expected = part.shape();
        if (part.rank() == shape.size()) expected[at] = shape[at];
        if (expected != shape) {
            throw ShapeError{"concat: shapes " + to_string(parts.front().shape()) + " and " +
                             to_string(part.shape()) + " differ outside axis " +
                             std::to_string(axis)};
        }
        shape[at] += part.shape()[at];
    }
    Tensor result = Tensor::for_overwrite(shape);
    const auto [outer, size, inner] = view_axis(shape, at);
    Real* const out = result.mutable_data();
    std::size_t done = 0;
    for (const Tensor& part : parts) {
        const std::size_t run = part.shape()[at] * inner;
        for (std::size_t o = 0; o < outer && run > 0; ++o)
            std::copy_n(part.data() + o * run, run, out + (o * size + done) * inner);
        done += part.shape()[at];
    }
    return remember(result, parts, ConcatGradient{at, parts.size()}, Keep::shapes);
}

}  // namespace bert
