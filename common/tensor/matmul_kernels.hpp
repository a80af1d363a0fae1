// The two ways to one product, behind matmul.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

// Element (i, j) of a matrix lies at data[i * row_stride + j * column_stride]; one of the two
// strides is 1.
struct Operand {
    const Real* data;
    std::size_t row_stride;
    std::size_t column_stride;
};

// c (M, N), rows `c_stride` apart, = a (M, K) b (K, N).
struct Product {
    std::size_t m;
    std::size_t n;
    std::size_t k;
    Operand a;
    Operand b;
    Real* c;
    std::size_t c_stride;
};

// Every product of a batch has the same m, n, k and strides.
void multiply_with_loop(const std::vector<Product>& batch);
void multiply_with_library(const std::vector<Product>& batch);
// One product by the calling thread alone, by the library unless it is too thin for it; float only.
void multiply_by_this_thread(const Product& product);

// A matrix (K, N) in the library's own arrangement, cut into the column tiles of the products.
struct PackedColumns {
    std::vector<Tensor> tiles;
};
PackedColumns pack_columns(std::size_t k, std::size_t n, const Operand& b);
void multiply_packed_with_library(const Product& product, const PackedColumns& b);

}  // namespace bert
