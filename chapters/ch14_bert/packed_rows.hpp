// Which rows the packed encoder works on, and in which blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// The rows of a batch, one example after the other.
struct PackedRows {
    std::vector<std::size_t> first;   // (B+1) where each example begins, and the end
    std::vector<std::size_t> places;  // (N) of each row in (B, T)
    std::vector<Real> visible;        // (N) the attention mask; empty: all are
    std::size_t longest = 0;          // rows of one example

    std::size_t count() const { return places.size(); }
};

/// All B T rows, or without padding those that the mask (B, T) shows.
PackedRows packed_rows(const Tensor& attention_mask, bool with_padding);

struct RowBlock {
    std::size_t begin;
    std::size_t end;
};

/// Blocks of at most 256 rows, as even as can be.
std::vector<RowBlock> row_blocks(std::size_t rows);

}  // namespace bert
