// Learned positions: a table with one row for each place, trained like any other weight.
//
//     output[b, t] = x[b, t] + table[t]
//
// N rows (BERT: 512), D the model width. There is no row past the table.
#pragma once

#include <string>

#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct LearnedPositions {
    Tensor table;  // (N, D)

    /// x (.., T, D) plus rows 0 to T-1 of the table; same shape. Throws ShapeError naming both
    /// shapes when x is longer than the table, has another width or no rows.
    Tensor operator()(const Tensor& x) const;

    /// The name that the table has inside BERT's embeddings in a Hugging Face checkpoint
    /// (common/tensor/parameters.hpp).
    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        visitor(std::string{"position_embeddings.weight"}, layer.table);
    }
};

}  // namespace bert
