// Shapes of matrix products that are worth checking, and every form of one product.
#pragma once

#include <string>
#include <vector>

#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "tests/common/tensor_indices.hpp"

namespace bert::test {

/// c (M, N) = a (M, K) b (K, N), for each matrix of a batch.
struct MatmulCase {
    Shape batch;
    std::size_t m;
    std::size_t k;
    std::size_t n;
    bool single_b = false;  // b is one matrix for the whole batch
};

inline std::string to_string(const MatmulCase& c) {
    return bert::to_string(c.batch) + " x (" + std::to_string(c.m) + ", " + std::to_string(c.k) +
           ", " + std::to_string(c.n) + ")" + (c.single_b ? ", single b" : "");
}

/// Single rows and columns, K = 1 and long K, primes, the borders of the tiles, batches.
inline std::vector<MatmulCase> matmul_cases() {
    std::vector<MatmulCase> cases{
        {{}, 1, 1, 1},         {{}, 1, 5, 7},      {{}, 9, 4, 1},      {{}, 5, 1, 6},
        {{}, 1, 1, 300},       {{}, 300, 1, 1},    {{}, 1, 1000, 1},   {{}, 2, 100000, 3},
        {{}, 1, 100000, 1},    {{}, 1, 768, 768},  {{}, 768, 300, 1},  {{}, 31, 37, 41},
        {{}, 127, 131, 137},   {{}, 128, 64, 513}, {{}, 129, 255, 64}, {{}, 65, 256, 63},
        {{}, 130, 257, 65},    {{3}, 5, 7, 11},    {{2, 3}, 17, 5, 9}, {{1, 4}, 65, 33, 257},
        {{2, 12}, 33, 64, 33}, {{7}, 1, 13, 1},    {{3}, 1, 64, 5},    {{}, 200, 300, 300},
        {{6}, 65, 257, 130},
    };
    for (const std::size_t m : {63U, 64U, 65U}) {
        for (const std::size_t n : {255U, 256U, 257U})
            cases.push_back({{}, m, 33, n});
    }
    for (const Shape& batch : {Shape{3}, Shape{2, 3}, Shape{2, 2, 2}}) {
        cases.push_back({batch, 23, 29, 31, true});
        cases.push_back({batch, 1, 16, 300, true});
    }
    return cases;
}

struct MatmulOperands {
    Tensor a;
    Tensor b;
};

inline MatmulOperands operands(const MatmulCase& c) {
    Shape a = c.batch;
    a.insert(a.end(), {c.m, c.k});
    Shape b = c.single_b ? Shape{} : c.batch;
    b.insert(b.end(), {c.k, c.n});
    return {noise(a, c.m + c.k), noise(b, c.n + 7 * c.k)};
}

struct FormResult {
    std::string form;
    Tensor product;
};

/// The product of a and b in every form that takes it; all are the same matrix, to rounding.
inline std::vector<FormResult> every_form(const MatmulOperands& x) {
    std::vector<FormResult> results{
        {"matmul", matmul(x.a, x.b)},
        {"matmul_transpose_b", matmul_transpose_b(x.a, transpose(x.b))},
        {"matmul_transpose_a", matmul_transpose_a(transpose(x.a), x.b)}};
    if (x.b.rank() == 2) {
        results.push_back({"packed", matmul(x.a, PackedMatrix(x.b))});
        results.push_back({"packed, transposed", matmul(x.a, PackedMatrix(transpose(x.b), true))});
    }
    return results;
}

/// Puts the method back that was in force before.
class MethodGuard {
  public:
    explicit MethodGuard(MatmulMethod method) : before_(matmul_method()) {
        set_matmul_method(method);
    }
    ~MethodGuard() { set_matmul_method(before_); }
    MethodGuard(const MethodGuard&) = delete;
    MethodGuard& operator=(const MethodGuard&) = delete;

  private:
    MatmulMethod before_;
};

}  // namespace bert::test
