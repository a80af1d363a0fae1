#include "common/tensor/elementwise.hpp"

#include <algorithm>
#include <vector>

#include "common/autograd/remember.hpp"

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
    Tensor result = Tensor::for_overwrite(broadcast_shape(name, a.shape(), b.shape()));
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

// The sums of sum_to. Threads share out the elements of the last axis, which keep their order.
Tensor sum_of_repeats(const Tensor& x, const Shape& shape) {
    Tensor result(shape);
    if (x.size() == 0) return result;
    const Shape target = x.rank() == 0 ? Shape{1} : x.shape();
    const Shape strides = broadcast_strides(shape, target);
    const std::size_t width = target.back();
    const std::size_t rows = x.size() / width;
    std::vector<double> sums(result.size());
    if (strides.back() == 0) {
        for (std::size_t row = 0; row < rows; ++row) {
            double& sum = sums[row_start(row, target, strides)];
            for (std::size_t i = 0; i < width; ++i)
                sum += static_cast<double>(x.data()[row * width + i]);
        }
    } else {
        constexpr std::size_t share = 64;
#pragma omp parallel for if (x.size() > 65536)
        for (std::size_t begin = 0; begin < width; begin += share) {
            const std::size_t end = std::min(width, begin + share);
            for (std::size_t row = 0; row < rows; ++row) {
                double* const sum = sums.data() + row_start(row, target, strides);
                for (std::size_t i = begin; i < end; ++i)
                    sum[i] += static_cast<double>(x.data()[row * width + i]);
            }
        }
    }
    std::transform(sums.begin(), sums.end(), result.mutable_data(),
                   [](double sum) { return static_cast<Real>(sum); });
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

// y = a + b:  da = g, db = g, each summed over what broadcasting repeated.
Tensor operator+(const Tensor& a, const Tensor& b) {
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        const Tensor& g = step.output_gradient();
        return {sum_to(g, step.input_shape(0)), sum_to(g, step.input_shape(1))};
    };
    return remember(combine("+", a, b, [](Real x, Real y) { return x + y; }), {a, b}, gradient,
                    Keep::shapes);
}

// y = a - b:  da = g, db = -g
Tensor operator-(const Tensor& a, const Tensor& b) {
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        const Tensor& g = step.output_gradient();
        return {sum_to(g, step.input_shape(0)), sum_to(g, step.input_shape(1)) * Real{-1}};
    };
    return remember(combine("-", a, b, [](Real x, Real y) { return x - y; }), {a, b}, gradient,
                    Keep::shapes);
}

// y = a b:  da = g b, db = g a
Tensor operator*(const Tensor& a, const Tensor& b) {
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        const Tensor& g = step.output_gradient();
        const auto times = [&](std::size_t other, std::size_t self) {
            return step.wants(self) ? sum_to(g * step.input(other), step.input_shape(self))
                                    : Tensor();
        };
        return {times(1, 0), times(0, 1)};
    };
    return remember(combine("*", a, b, [](Real x, Real y) { return x * y; }), {a, b}, gradient,
                    Keep::inputs);
}

// y = f a:  da = f g
Tensor operator*(const Tensor& a, Real factor) {
    const auto gradient = [factor](const BackwardStep& step) -> std::vector<Tensor> {
        return {step.output_gradient() * factor};
    };
    return remember(
        combine("*", a, Tensor(Shape{}, {factor}), [](Real x, Real y) { return x * y; }), {a},
        gradient, Keep::shapes);
}

Tensor operator*(Real factor, const Tensor& a) {
    return a * factor;
}

Tensor operator+(const Tensor& a, Real addend) {
    return a + Tensor(Shape{}, {addend});
}

void add_to(Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) {
        throw ShapeError{"add_to: shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                         " differ"};
    }
    Real* const sum = a.mutable_data();
#pragma omp parallel for simd if (a.size() > 65536)
    for (std::size_t i = 0; i < a.size(); ++i)
        sum[i] += b.data()[i];
}

// y[.., i, ..] = x[.., 0, ..]:  dx[.., 0, ..] = sum over i of g[.., i, ..]
Tensor broadcast_to(const Tensor& x, const Shape& shape) {
    if (broadcast_shape("broadcast_to", x.shape(), shape) != shape) {
        throw ShapeError{"broadcast_to: " + to_string(x.shape()) + " does not repeat into " +
                         to_string(shape)};
    }
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        return {sum_to(step.output_gradient(), step.input_shape(0))};
    };
    const auto first = [](Real value, Real) { return value; };
    return remember(combine("broadcast_to", x, Tensor(shape), first), {x}, gradient, Keep::shapes);
}

// y = sum of x[i] over the repeated i:  dx[i] = g
Tensor sum_to(const Tensor& x, const Shape& shape) {
    if (x.shape() == shape) return x;
    if (broadcast_shape("sum_to", x.shape(), shape) != x.shape()) {
        throw ShapeError{"sum_to: " + to_string(shape) + " does not repeat into " +
                         to_string(x.shape())};
    }
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        return {broadcast_to(step.output_gradient(), step.input_shape(0))};
    };
    return remember(sum_of_repeats(x, shape), {x}, gradient, Keep::shapes);
}

}  // namespace bert
