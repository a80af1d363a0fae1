#include "common/tensor/tensor.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "common/autograd/tape_node.hpp"

namespace bert {

namespace {

// Appends nested lists of any depth to `values` and returns their shape.
Shape flatten(std::initializer_list<double> list, std::vector<Real>& values) {
    std::transform(list.begin(), list.end(), std::back_inserter(values),
                   [](double x) { return static_cast<Real>(x); });
    return {list.size()};
}

template <typename Nested>
Shape flatten(std::initializer_list<Nested> list, std::vector<Real>& values) {
    Shape inner;
    std::size_t index = 0;
    for (const Nested& part : list) {
        Shape shape = flatten(part, values);
        if (index > 0 && shape != inner) {
            throw ShapeError{"Tensor: nested lists differ in shape (entry 0 is " +
                             to_string(inner) + ", entry " + std::to_string(index) + " is " +
                             to_string(shape) + ")"};
        }
        inner = std::move(shape);
        ++index;
    }
    inner.insert(inner.begin(), list.size());
    return inner;
}

std::string join(std::initializer_list<std::size_t> indices) {
    return to_string(Shape(indices));
}

}  // namespace

std::string to_string(const Shape& shape) {
    return with_letters(shape, "");
}

std::string with_letters(const Shape& shape, std::string_view letters) {
    const bool lettered = letters.size() <= shape.size();
    const std::size_t first = lettered ? shape.size() - letters.size() : shape.size();
    std::string text = "(";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis > 0) text += ", ";
        if (axis >= first) text += std::string{letters[axis - first]} + "=";
        text += std::to_string(shape[axis]);
    }
    return text + ")";
}

std::size_t element_count(const Shape& shape) {
    constexpr std::size_t limit = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Real);
    if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
    std::size_t count = 1;
    for (const std::size_t size : shape) {
        if (size > limit / count) {
            throw std::length_error{"Tensor: shape " + to_string(shape) + " is too large"};
        }
        count *= size;
    }
    return count;
}

Tensor::Tensor() : Tensor(Shape{0}) {}

Tensor::Tensor(Shape shape)
    : shape_(std::move(shape)),
      size_(element_count(shape_)),
      values_(std::make_shared<Real[]>(size_)) {}

Tensor Tensor::for_overwrite(Shape shape) {
    Tensor result{NoNumbers{}, std::move(shape)};
    result.values_ = std::make_shared_for_overwrite<Real[]>(result.size_);
    return result;
}

Tensor Tensor::view_of(Shape shape, std::shared_ptr<const Real[]> values) {
    Tensor result{NoNumbers{}, std::move(shape)};
    result.values_ = std::const_pointer_cast<Real[]>(std::move(values));
    result.read_only_ = true;
    return result;
}

Tensor::Tensor(Shape shape, std::vector<Real> values) : Tensor(NoNumbers{}, std::move(shape)) {
    if (values.size() != size_) {
        throw ShapeError{"Tensor: shape " + to_string(shape_) + " needs " + std::to_string(size_) +
                         " values, " + std::to_string(values.size()) + " given"};
    }
    fill(values);
}

Tensor::Tensor(std::initializer_list<std::initializer_list<double>> rows) {
    std::vector<Real> values;
    shape_ = flatten(rows, values);
    fill(values);
}

Tensor::Tensor(
    std::initializer_list<std::initializer_list<std::initializer_list<double>>> matrices) {
    std::vector<Real> values;
    shape_ = flatten(matrices, values);
    fill(values);
}

Tensor::Tensor(NoNumbers, Shape shape) : shape_(std::move(shape)), size_(element_count(shape_)) {}

void Tensor::fill(const std::vector<Real>& values) {
    size_ = values.size();
    values_ = std::make_shared_for_overwrite<Real[]>(size_);
    std::copy(values.begin(), values.end(), values_.get());
}

std::size_t Tensor::dim(int axis) const {
    const int rank = static_cast<int>(shape_.size());
    if (axis < -rank || axis >= rank) {
        throw ShapeError{"dim: axis " + std::to_string(axis) + " of shape " + to_string(shape_)};
    }
    return shape_[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
}

std::size_t Tensor::num_rows() const {
    if (shape_.empty()) return 1;
    return shape_.back() > 0 ? size_ / shape_.back()
                             : element_count(Shape(shape_.begin(), shape_.end() - 1));
}

std::span<const Real> Tensor::row(std::size_t r) const {
    const std::size_t width = dim(-1);
    if (r >= num_rows()) throw_bad_index({r});
    return {data() + r * width, width};
}

std::span<Real> Tensor::mutable_row(std::size_t r) {
    const std::size_t width = dim(-1);
    if (r >= num_rows()) throw_bad_index({r});
    return {mutable_data() + r * width, width};
}

Real* Tensor::mutable_data() {
    if (node_ != nullptr && !node_->is_parameter()) node_ = nullptr;
    if (read_only_ || values_.use_count() > 1) {
        auto own = std::make_shared_for_overwrite<Real[]>(size_);
        std::copy_n(values_.get(), size_, own.get());
        values_ = std::move(own);
        read_only_ = false;
    }
    // What another thread read from its copy, it read before this thread writes.
    std::atomic_thread_fence(std::memory_order_acquire);
    return values_.get();
}

Tensor Tensor::reshaped(Shape shape) const {
    if (element_count(shape) != size_) {
        throw ShapeError{"reshape: " + to_string(shape_) + " has " + std::to_string(size_) +
                         " elements, " + to_string(shape) + " has " +
                         std::to_string(element_count(shape))};
    }
    Tensor result = *this;
    result.shape_ = std::move(shape);
    result.node_ = nullptr;
    return result;
}

void Tensor::throw_bad_index(std::initializer_list<std::size_t> indices) const {
    throw ShapeError{"Tensor: index " + join(indices) + " is outside shape " + to_string(shape_)};
}

bool operator==(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::equal(a.data(), a.data() + a.size(), b.data());
}

void require_finite(std::string_view what, const Tensor& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isfinite(x.data()[i])) continue;
        Shape index(x.rank());
        for (std::size_t axis = x.rank(), rest = i; axis-- > 0; rest /= x.shape()[axis]) {
            index[axis] = rest % x.shape()[axis];
        }
        const Real value = x.data()[i];
        const char* const name = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        throw NumericError{std::string{what} + ": element " + to_string(index) +
                           " is not finite (" + name + ")"};
    }
}

void require_not_empty(std::string_view what, const Tensor& x) {
    if (x.size() == 0) {
        throw ShapeError{std::string{what} + ": shape " + to_string(x.shape()) +
                         " has a dimension of size zero"};
    }
}

}  // namespace bert
