// Learned positions: a table with one row for each place, trained like any other weight.
//
//     output[b, t] = x[b, t] + table[t]
//
// N rows (BERT: 512), D the model width. There is no row past the table.
#pragma once

#include <string>

#include "common/tensor/tensor.hpp"

namespace bert {

struct LearnedPositions {
    Tensor table;  // (N, D)

    /// x (.., T, D) plus rows 0 to T-1 of the table; same shape. Throws ShapeError naming both
    /// shapes when x is longer than the table, has another width or no rows.
    Tensor operator()(const Tensor& x) const;

    /// Calls visitor(name, tensor) with the name that the table has inside BERT's embeddings in a
    /// Hugging Face checkpoint.
    template <typename Visitor>
    void for_each_parameter(const Visitor& visitor) {
        visit(*this, visitor);
    }
    template <typename Visitor>
    void for_each_parameter(const Visitor& visitor) const {
        visit(*this, visitor);
    }

  private:
    template <typename Self, typename Visitor>
    static void visit(Self& self, const Visitor& visitor) {
        visitor(std::string{"position_embeddings.weight"}, self.table);
    }
};

}  // namespace bert
