// Attention of a block of rows by one share of the heads, by one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "ch14_bert/packed_rows.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Scores are made for so many queries at a time: few enough to stay near the processor, enough for
/// fast products.
constexpr std::size_t queries_at_once = 128;

/// Query, key and value (N, 3 Ds) of all rows, one beside the other, for some of the heads.
struct QueryKeyValue {
    const Real* numbers;
    std::size_t width;      // Ds
    std::size_t num_heads;  // of this share
};

/// Where the weights of a share's first head go in (B, H, T, T); null: nowhere.
struct MapPlace {
    Real* numbers;
    std::size_t num_heads;  // H
    std::size_t length;     // T
};

/// context[i] = softmax(q[i] k^T / sqrt(K)) v over the rows of i's example, for the rows of a block
/// and the heads of a share; context (rows, Ds). `scores` holds queries_at_once times rows.longest
/// numbers. Throws NumericError when a weight is not finite.
void attend_block(const QueryKeyValue& qkv, const PackedRows& rows, const RowBlock& block,
                  Real* scores, Real* context, const MapPlace& maps);

}  // namespace bert
