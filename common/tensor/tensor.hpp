// Tensor: numbers of one type in any number of dimensions.
//
// Row-major and contiguous: the last index runs fastest. A copy costs a counter, not the numbers;
// the first write to one of two copies gives it numbers of its own, so a copy never changes under
// its owner's feet. Several threads may read one tensor; those that write to it take
// mutable_data() once, before they part.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bert {

/// The number type of every tensor: float, or double in the build with -DREAL=double.
using Real = BERT_REAL;

/// The size of each dimension, outermost first.
using Shape = std::vector<std::size_t>;

/// A tensor's shape does not fit the function that got it.
class ShapeError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// A number that is not finite where only finite numbers make sense.
class NumericError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// "(2, 3)".
std::string to_string(const Shape& shape);

/// "(2, T=3, D=4)": the letters name the last dimensions, one letter each. A shape with fewer
/// dimensions than letters is written without them.
std::string with_letters(const Shape& shape, std::string_view letters);

/// The product of all dimensions; 1 for the empty shape.
/// Throws std::length_error when it does not fit in memory's address range.
std::size_t element_count(const Shape& shape);

struct TapeNode;  // common/autograd: how a tensor was computed

class Tensor {
  public:
    /// One dimension of size 0.
    Tensor();
    /// Zeros of this shape. Throws std::length_error for an impossible size.
    explicit Tensor(Shape shape);
    /// A tensor of this shape with any numbers in it, for a loop that writes every one.
    static Tensor for_overwrite(Shape shape);
    /// Numbers that lie elsewhere and stay there, as in a mapped file: the pointer keeps them, and
    /// must lead to one for every element. They are never written to; the first write to the
    /// tensor gives it numbers of its own.
    static Tensor view_of(Shape shape, std::shared_ptr<const Real[]> values);
    /// These values in row-major order. Throws ShapeError unless there is one for every element.
    Tensor(Shape shape, std::vector<Real> values);
    /// Rank 1 from numbers, rank 2 and 3 from nested lists. Throws ShapeError when rows differ in
    /// length.
    template <typename... Number>
    requires(sizeof...(Number) > 0 &&
             (std::is_arithmetic_v<Number> && ...)) explicit Tensor(Number... values)
        : Tensor(Shape{sizeof...(Number)}, {static_cast<Real>(values)...}) {}
    Tensor(std::initializer_list<std::initializer_list<double>> rows);
    Tensor(std::initializer_list<std::initializer_list<std::initializer_list<double>>> matrices);

    const Shape& shape() const { return shape_; }
    std::size_t rank() const { return shape_.size(); }
    /// Number of elements.
    std::size_t size() const { return size_; }
    /// Size of one dimension; a negative axis counts from the end. Throws ShapeError.
    std::size_t dim(int axis) const;

    /// One element; as many indices as dimensions (checked in the dev and asan builds).
    template <typename... Index>
    Real operator()(Index... indices) const {
        return data()[offset({static_cast<std::size_t>(indices)...})];
    }
    template <typename... Index>
    Real& operator()(Index... indices) {
        return mutable_data()[offset({static_cast<std::size_t>(indices)...})];
    }

    /// Number of rows when all leading dimensions are counted as one.
    std::size_t num_rows() const;
    /// Row r of that view: shape (last dimension).
    std::span<const Real> row(std::size_t r) const;
    std::span<Real> mutable_row(std::size_t r);

    const Real* data() const { return values_.get(); }
    /// The numbers for writing: parts from other copies first, and from the tape, but for a
    /// parameter, which stays one. The pointer, like the spans and references above, is good until
    /// the tensor is copied.
    Real* mutable_data();
    /// A view that lives as long as the tensor, so not to be had of a temporary one.
    std::span<const Real> values() const& { return {values_.get(), size_}; }
    std::span<const Real> values() && = delete;

    /// The same numbers, shared, under another shape, and unknown to the tape (reshape() in
    /// layout.hpp is known to it). Throws ShapeError when the counts differ.
    Tensor reshaped(Shape shape) const;

    /// Where the tape wrote down how this tensor was computed; null: nowhere.
    const std::shared_ptr<TapeNode>& node() const { return node_; }
    void set_node(std::shared_ptr<TapeNode> node) { node_ = std::move(node); }

  private:
    struct NoNumbers {};
    Tensor(NoNumbers, Shape shape);
    void fill(const std::vector<Real>& values);
    std::size_t offset(std::initializer_list<std::size_t> indices) const;
    [[noreturn]] void throw_bad_index(std::initializer_list<std::size_t> indices) const;

    Shape shape_;
    std::size_t size_ = 0;
    std::shared_ptr<Real[]> values_;
    bool read_only_ = false;  // the numbers are not the tensor's to write to
    std::shared_ptr<TapeNode> node_;
};

inline std::size_t Tensor::offset(std::initializer_list<std::size_t> indices) const {
    if constexpr (BERT_CHECK_BOUNDS != 0) {
        if (indices.size() != shape_.size()) throw_bad_index(indices);
    }
    std::size_t offset = 0;
    std::size_t axis = 0;
    for (const std::size_t index : indices) {
        if constexpr (BERT_CHECK_BOUNDS != 0) {
            if (index >= shape_[axis]) throw_bad_index(indices);
        }
        offset = offset * shape_[axis++] + index;
    }
    return offset;
}

/// True when shape and every number are equal; NaN equals nothing.
bool operator==(const Tensor& a, const Tensor& b);

/// Throws NumericError naming `what` and the first element that is NaN or infinite.
void require_finite(std::string_view what, const Tensor& x);

/// Throws ShapeError naming `what` when a dimension is zero.
void require_not_empty(std::string_view what, const Tensor& x);

}  // namespace bert
