// Attention of a block of rows, by one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "ch14_bert/packed_rows.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Queries, keys and values (N, 3 D) of all rows, one beside the other.
struct QueryKeyValue {
    const Real* numbers;
    std::size_t width;      // D
    std::size_t num_heads;  // H
};

/// context[i] = softmax(q[i] k^T / sqrt(K)) v over the rows of i's example, for the rows of a block
/// and all heads; context (rows, D). `scores` holds rows.longest numbers for each row of the block.
/// `maps`, null or (B, H, T, T), gets the weights. Throws NumericError when one is not finite.
void attend_block(const QueryKeyValue& qkv, const PackedRows& rows, const RowBlock& block,
                  Real* scores, Real* context, Real* maps, std::size_t length);

}  // namespace bert
