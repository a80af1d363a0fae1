#include "common/tensor/elementwise.hpp"

#include <algorithm>

namespace bert {

namespace {

// How far one step along each axis of `target` moves in a tensor of shape `source`: 0 where the
// tensor is repeated.
Shape broadcast_strides(const Shape& source, const Shape& target) {
    Shape strides(target.size(), 0);
    std::size_t stride = 1;
    for (std::size_t back = 1; back <= source.size(); ++back) {
        const std::size_t size = source[source.size() - back];
        if (size != 1) strides[target.size() - back] = stride;
        stride *= size;
    }
    return strides;
}

// The element of a tensor with these strides that lands on row `row` (all axes but the last).
std::size_t row_start(std::size_t row, const Shape& target, const Shape& strides) {
    std::size_t start = 0;
    for (std::size_t axis = target.size() - 1; axis-- > 0;) {
        start += row % target[axis] * strides[axis];
        row /= target[axis];
    }
    return start;
}

template <typename Operation>
Tensor combine(std::string_view name, const Tensor& a, const Tensor& b, Operation operation) {
    Tensor result(broadcast_shape(name, a.shape(), b.shape()));
    if (result.size() == 0) return result;
    if (result.rank() == 0) {
        *result.mutable_data() = operation(*a.data(), *b.data());
        return result;
    }
    const Shape& shape = result.shape();
    const Shape a_strides = broadcast_strides(a.shape(), shape);
    const Shape b_strides = broadcast_strides(b.shape(), shape);
    const std::size_t width = shape.back();
    const std::size_t a_step = a_strides.back();
    const std::size_t b_step = b_strides.back();
    const std::size_t rows = result.size() / width;
    Real* const out = result.mutable_data();
#pragma omp parallel for if (result.size() > 65536)
    for (std::size_t row = 0; row < rows; ++row) {
        const Real* x = a.data() + row_start(row, shape, a_strides);
        const Real* y = b.data() + row_start(row, shape, b_strides);
        Real* const z = out + row * width;
        if (a_step == 1 && b_step == 1) {
            for (std::size_t i = 0; i < width; ++i)
                z[i] = operation(x[i], y[i]);
        } else {
            for (std::size_t i = 0; i < width; ++i)
                z[i] = operation(x[i * a_step], y[i * b_step]);
        }
    }
    return result;
}

}  // namespace

Shape broadcast_shape(std::string_view function, const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()));
    for (std::size_t back = 1; back <= result.size(); ++back) {
        const std::size_t in_a = back <= a.size() ? a[a.size() - back] : 1;
        const std::size_t in_b = back <= b.size() ? b[b.size() - back] : 1;
        if (in_a != in_b && in_a != 1 && in_b != 1) {
            throw ShapeError{std::string{function} + ": shapes " + to_string(a) + " and " +
                             to_string(b) + " do not broadcast (" + std::to_string(in_a) +
                             " against " + std::to_string(in_b) + ")"};
        }
        result[result.size() - back] = in_a == 1 ? in_b : in_a;
    }
    return result;
}

Tensor operator+(const Tensor& a, const Tensor& b) {
    return combine("+", a, b, [](Real x, Real y) { return x + y; });
}

Tensor operator-(const Tensor& a, const Tensor& b) {
    return combine("-", a, b, [](Real x, Real y) { return x - y; });
}

Tensor operator*(const Tensor& a, const Tensor& b) {
    return combine("*", a, b, [](Real x, Real y) { return x * y; });
}

Tensor operator*(const Tensor& a, Real factor) {
    return a * Tensor(Shape{}, {factor});
}

Tensor operator*(Real factor, const Tensor& a) {
    return a * factor;
}

Tensor operator+(const Tensor& a, Real addend) {
    return a + Tensor(Shape{}, {addend});
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
    if (broadcast_shape("broadcast_to", x.shape(), shape) != shape) {
        throw ShapeError{"broadcast_to: " + to_string(x.shape()) + " does not repeat into " +
                         to_string(shape)};
    }
    return combine("broadcast_to", x, Tensor(shape), [](Real value, Real) { return value; });
}

}  // namespace bert
