#include "common/tensor/matmul.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <type_traits>

#include "common/autograd/remember.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul_kernels.hpp"

namespace bert {

namespace {

// How the last two dimensions of the operands are read.
enum class Form { plain, transpose_a, transpose_b };

MatmulMethod method_from_environment() {
    const char* const value = std::getenv("BERT_MATMUL");
    const std::string word = value == nullptr ? "" : value;
    if (word.empty() || word == "library") return MatmulMethod::library;
    if (word == "loop") return MatmulMethod::loop;
    throw std::invalid_argument{"BERT_MATMUL: unknown method (found " + word +
                                ", expected loop or library)"};
}

std::atomic<MatmulMethod>& current_method() {
    static std::atomic<MatmulMethod> method = method_from_environment();
    return method;
}

struct Letters {
    const char* name;
    const char* a;
    const char* b;
};

Letters letters_of(Form form) {
    switch (form) {
        case Form::transpose_a:
            return {"matmul_transpose_a", "TK", "TD"};
        case Form::transpose_b:
            return {"matmul_transpose_b", "TK", "SK"};
        default:
            return {"matmul", "TK", "KD"};
    }
}

[[noreturn]] void refuse(Form form, const Shape& a, const Shape& b, const std::string& why) {
    const Letters letters = letters_of(form);
    throw ShapeError{std::string{letters.name} + ": a " + with_letters(a, letters.a) + " and b " +
                     with_letters(b, letters.b) + ": " + why};
}

Shape leading(const Shape& shape) {
    return Shape(shape.begin(), shape.end() - 2);
}

// The strides of a matrix stored as (rows, columns), read as it is or transposed.
Operand operand(const Real* data, std::size_t columns, bool transposed) {
    return transposed ? Operand{data, 1, columns} : Operand{data, columns, 1};
}

void check_shapes(Form form, const Shape& a, const Shape& b) {
    if (a.size() < 2 || b.size() < 2) refuse(form, a, b, "both need at least two dimensions");
    if (b.size() > 2 && leading(a) != leading(b)) {
        refuse(form, a, b, "the batches differ and b is not a single matrix");
    }
    const std::size_t inner_a = form == Form::transpose_a ? a[a.size() - 2] : a.back();
    const std::size_t inner_b = form == Form::transpose_b ? b.back() : b[b.size() - 2];
    if (inner_a != inner_b) {
        refuse(form, a, b,
               "the inner widths differ (" + std::to_string(inner_a) + " and " +
                   std::to_string(inner_b) + ")");
    }
}

void multiply_batch(const std::vector<Product>& batch) {
    if (matmul_method() == MatmulMethod::library && std::is_same_v<Real, float>) {
        multiply_with_library(batch);
    } else {
        multiply_with_loop(batch);
    }
}

Tensor multiply(Form form, const Tensor& a, const Tensor& b) {
    check_shapes(form, a.shape(), b.shape());
    const bool a_turned = form == Form::transpose_a;
    const bool b_turned = form == Form::transpose_b;
    const std::size_t m = a.dim(a_turned ? -1 : -2);
    const std::size_t k = a.dim(a_turned ? -2 : -1);
    const std::size_t n = b.dim(b_turned ? -2 : -1);
    Shape shape = leading(a.shape());
    shape.insert(shape.end(), {m, n});
    if (k == 0) return Tensor(shape);  // sums of nothing
    Tensor result = Tensor::for_overwrite(shape);
    if (result.size() == 0) return result;

    Real* const c = result.mutable_data();
    const Operand b0 = operand(b.data(), b.dim(-1), b_turned);
    if (b.rank() == 2 && !a_turned) {  // one matrix serves all rows: one tall product
        multiply_batch({{a.size() / k, n, k, operand(a.data(), k, false), b0, c, n}});
        return result;
    }
    std::vector<Product> batch;
    for (std::size_t i = 0; i < result.size() / (m * n); ++i) {
        const Real* const b_data = b.rank() == 2 ? b.data() : b.data() + i * k * n;
        batch.push_back({m,
                         n,
                         k,
                         operand(a.data() + i * m * k, a.dim(-1), a_turned),
                         {b_data, b0.row_stride, b0.column_stride},
                         c + i * m * n,
                         n});
    }
    multiply_batch(batch);
    return result;
}

// a^T b for each matrix of a batch; summed over the batch when `shape` is that of one matrix, in
// one product of all rows: sum over all t of a[t, k] b[t, d].
Tensor product_of_all(const Tensor& a, const Tensor& b, const Shape& shape) {
    if (shape.size() > 2) return multiply(Form::transpose_a, a, b);
    return multiply(Form::transpose_a, a.reshaped({a.num_rows(), a.dim(-1)}),
                    b.reshaped({b.num_rows(), b.dim(-1)}));
}

// The shape of matrices like x, one for each matrix of `batch`.
Shape batch_of(const Tensor& batch, const Tensor& x) {
    Shape shape = leading(batch.shape());
    shape.insert(shape.end(), {x.dim(-2), x.dim(-1)});
    return shape;
}

}  // namespace

MatmulMethod matmul_method() {
    return current_method();
}

void set_matmul_method(MatmulMethod method) {
    current_method() = method;
}

// c[t, d] = sum over k of a[t, k] b[k, d]. With g = dL/dc, each a[t, k] meets b[k, d] in every d,
// and each b[k, d] meets a[t, k] in every t:
//     da[t, k] = sum over d of g[t, d] b[k, d]      da = g b^T
//     db[k, d] = sum over t of a[t, k] g[t, d]      db = a^T g
// The other two forms follow in the same way.
Tensor matmul(const Tensor& a, const Tensor& b) {
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        const Tensor& g = step.output_gradient();
        return {step.wants(0) ? matmul_transpose_b(g, step.input(1)) : Tensor(),
                step.wants(1) ? product_of_all(step.input(0), g, step.input_shape(1)) : Tensor()};
    };
    return remember(multiply(Form::plain, a, b), {a, b}, gradient, Keep::inputs);
}

// c = a b^T:  da = g b, db = g^T a
Tensor matmul_transpose_b(const Tensor& a, const Tensor& b) {
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        const Tensor& g = step.output_gradient();
        return {step.wants(0) ? matmul(g, step.input(1)) : Tensor(),
                step.wants(1) ? product_of_all(g, step.input(0), step.input_shape(1)) : Tensor()};
    };
    return remember(multiply(Form::transpose_b, a, b), {a, b}, gradient, Keep::inputs);
}

// c = a^T b:  da = b g^T, db = a g
Tensor matmul_transpose_a(const Tensor& a, const Tensor& b) {
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        const Tensor& g = step.output_gradient();
        const auto one_for_each = [&](const Tensor& x) { return broadcast_to(x, batch_of(g, x)); };
        return {step.wants(0) ? matmul_transpose_b(one_for_each(step.input(1)), g) : Tensor(),
                step.wants(1) ? sum_to(matmul(step.input(0), g), step.input_shape(1)) : Tensor()};
    };
    return remember(multiply(Form::transpose_a, a, b), {a, b}, gradient, Keep::inputs);
}

struct PackedMatrix::Parts {
    Tensor plain;  // (K, D), or (D, K) when transposed
    bool transposed;
    PackedColumns packed;  // empty when the loop is the only method
};

PackedMatrix::PackedMatrix(const Tensor& b, bool transposed) {
    if (b.rank() != 2 || b.size() == 0) {
        throw ShapeError{"PackedMatrix: needs a matrix with no dimension of size zero, got " +
                         to_string(b.shape())};
    }
    Parts parts{b, transposed, {}};
    if constexpr (std::is_same_v<Real, float>) {
        const std::size_t k = b.dim(transposed ? 1 : 0);
        const std::size_t n = b.dim(transposed ? 0 : 1);
        parts.packed = pack_columns(k, n, operand(b.data(), b.dim(1), transposed));
    }
    parts_ = std::make_shared<const Parts>(std::move(parts));
}

std::size_t PackedMatrix::rows() const {
    return parts_->plain.dim(parts_->transposed ? 1 : 0);
}

std::size_t PackedMatrix::columns() const {
    return parts_->plain.dim(parts_->transposed ? 0 : 1);
}

Tensor matmul(const Tensor& a, const PackedMatrix& b) {
    const PackedMatrix::Parts& parts = b.parts();
    if (is_recording(std::array{TensorRef{a}, TensorRef{parts.plain}})) {
        throw std::logic_error{"matmul: a PackedMatrix has no gradient; use it under NoGradient"};
    }
    const Form form = parts.transposed ? Form::transpose_b : Form::plain;
    if (matmul_method() == MatmulMethod::loop || parts.packed.tiles.empty()) {
        return multiply(form, a, parts.plain);
    }
    check_shapes(form, a.shape(), parts.plain.shape());
    Shape shape = a.shape();
    shape.back() = b.columns();
    Tensor result = Tensor::for_overwrite(shape);
    if (result.size() == 0) return result;
    multiply_packed_with_library({a.num_rows(),
                                  b.columns(),
                                  b.rows(),
                                  operand(a.data(), b.rows(), false),
                                  {},
                                  result.mutable_data(),
                                  b.columns()},
                                 parts.packed);
    return result;
}

}  // namespace bert
