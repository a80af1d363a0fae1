// Tensors as aligned text.
#pragma once

#include <string>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

struct TableFormat {
    int decimals = 4;
    std::vector<std::string> row_names = {};     // empty: none; else one a row
    std::vector<std::string> column_names = {};  // empty: none; else one a column
    std::size_t indent = 2;
};

/// Rank 0 and 1 as one line, rank 2 as a table, higher ranks as a table for each matrix under a
/// line with its index; a tensor without elements as "empty (2, 0)". Every line ends in a newline.
/// Throws ShapeError when the names do not fit.
std::string to_table(const Tensor& x, const TableFormat& format = {});

/// One number with this many decimals; never "-0.0000" or "-nan".
std::string to_text(double x, int decimals);

/// The columns that UTF-8 text takes in a terminal, counted as its code points.
std::size_t text_width(std::string_view text);

}  // namespace bert
