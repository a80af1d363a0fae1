#include "common/tensor/packed_linear.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/matmul_kernels.hpp"
#include "common/tensor/memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr bool is_float = sizeof(Real) == sizeof(float);

double after_of(After after, double x) {
    switch (after) {
        case After::relu:
            return x > 0.0 ? x : 0.0;
        case After::gelu:
            return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
        case After::gelu_tanh:
            return 0.5 * x *
                   (1.0 +
                    std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
        default:
            return x;
    }
}

}  // namespace

TEST_CASE("PackedLinear: equals the product with bias and function after it", "[common]") {
    if constexpr (!is_float) return;
    Random random{4};
    for (const After after : {After::nothing, After::relu, After::gelu, After::gelu_tanh}) {
        for (const std::size_t k : {1U, 5U, 24U, 130U}) {
            for (const std::size_t n : {1U, 3U, 33U, 300U}) {
                const Tensor weight = uniform(random, {n, k}, -1, 1);
                const Tensor bias = uniform(random, {n}, -1, 1);
                const PackedLinear layer{weight, bias, after};
                CHECK(layer.inputs() == k);
                CHECK(layer.outputs() == n);
                for (const std::size_t rows : {1U, 2U, 7U, 64U, 65U}) {
                    const Tensor x = uniform(random, {rows, k}, -1, 1);
                    Tensor expected = matmul_transpose_b(x, weight) + bias;
                    for (Real& value : std::span{expected.mutable_data(), expected.size()})
                        value = static_cast<Real>(after_of(after, static_cast<double>(value)));
                    Tensor y = Tensor::for_overwrite({rows, n});
                    layer(x.data(), rows, y.mutable_data());
                    REQUIRE(max_error(y, expected) <= 1e-5);  // largest seen: 2.4e-6
                }
            }
        }
    }
}

TEST_CASE("PackedLinear: keeps its numbers when those it was made of change", "[common]") {
    if constexpr (!is_float) return;
    Tensor weight{{1, 2}, {3, 4}};
    Tensor bias{10, 20};
    const PackedLinear layer{weight, bias};
    weight(0, 0) = 100;
    bias(0) = 100;
    Tensor y(Shape{1, 2});
    const Tensor x{{1, 1}};
    layer(x.data(), 1, y.mutable_data());
    CHECK(y == Tensor{{13, 27}});
    layer(x.data(), 0, nullptr);  // no rows, no work
}

TEST_CASE("PackedLinear: takes some columns of a weight", "[common]") {
    if constexpr (!is_float) return;
    Random random{6};
    const Tensor weight = uniform(random, {9, 40}, -1, 1);
    const Tensor bias = uniform(random, {9}, -1, 1);
    const Tensor x = uniform(random, {3, 17}, -1, 1);
    const PackedLinear layer{WeightPart{weight.data() + 5, 9, 17, 40}, bias};
    Tensor y = Tensor::for_overwrite({3, 9});
    layer(x.data(), 3, y.mutable_data());
    const Tensor expected = matmul_transpose_b(x, slice(weight, 1, 5, 22)) + bias;
    CHECK(max_error(y, expected) <= 1e-6);  // largest seen: 0
    CHECK_THROWS_AS(PackedLinear(WeightPart{weight.data(), 9, 0, 40}, bias), ShapeError);
}

TEST_CASE("PackedLinear: refuses what is no linear layer", "[common]") {
    CHECK_THROWS_AS(PackedLinear(Tensor(Shape{2, 3}), Tensor(Shape{3})), ShapeError);
    CHECK_THROWS_AS(PackedLinear(Tensor(Shape{2}), Tensor(Shape{2})), ShapeError);
    CHECK_THROWS_AS(PackedLinear(Tensor(Shape{0, 3}), Tensor(Shape{0})), ShapeError);
    if constexpr (!is_float) {
        CHECK_THROWS_AS(PackedLinear(Tensor(Shape{2, 3}), Tensor(Shape{2})), std::logic_error);
    }
}

TEST_CASE("multiply_by_this_thread: equals the loop for thin and for wide products", "[common]") {
    if constexpr (!is_float) return;
    Random random{5};
    for (const std::size_t m : {1U, 3U, 4U, 40U}) {
        for (const std::size_t n : {1U, 5U, 70U}) {
            for (const std::size_t k : {1U, 4U, 64U}) {
                // Operands inside wider tensors, b transposed, and gaps between the rows of c.
                const Tensor a = uniform(random, {m, k + 3}, -1, 1);
                const Tensor b = uniform(random, {n, k + 5}, -1, 1);
                Tensor fast(Shape{m, n + 2});
                Tensor slow(Shape{m, n + 2});
                Product product{
                    m,    n, k, {a.data(), k + 3, 1}, {b.data(), 1, k + 5}, fast.mutable_data(),
                    n + 2};
                multiply_by_this_thread(product);
                product.c = slow.mutable_data();
                multiply_with_loop({product});
                REQUIRE(max_error(fast, slow) <= 8e-6);  // largest seen: 1.9e-6
            }
        }
    }
}

TEST_CASE("numbers_in_large_pages: aligned and all there to write", "[common]") {
    for (const std::size_t count : {1U, 1000U, 3'000'000U}) {
        const std::shared_ptr<Real[]> numbers = numbers_in_large_pages(count);
        const auto address = reinterpret_cast<std::uintptr_t>(numbers.get());
        CHECK(address % 64 == 0);
        if (count * sizeof(Real) >= (std::size_t{2} << 20)) CHECK(address % (2U << 20) == 0);
        const std::span<Real> all{numbers.get(), count};
        for (std::size_t i = 0; i < count; ++i)
            all[i] = static_cast<Real>(i % 1000);
        CHECK(all.back() == static_cast<Real>((count - 1) % 1000));
    }
    CHECK_THROWS_AS(numbers_in_large_pages(std::size_t{1} << 62), std::bad_alloc);
}

TEST_CASE("peak_memory: counts what is written", "[common]") {
    const double before = peak_memory();
    const std::vector<char> written(std::size_t{300} << 20, 'x');
    CHECK(written.back() == 'x');
    CHECK(peak_memory() >= 300e6);
    CHECK(peak_memory() >= before);
    CHECK(peak_memory() < 100e9);
}
