#include "ch01_attention_by_hand/examples.hpp"

namespace bert {

namespace {

template <typename Rows>
Tensor rows_to_tensor(const Rows& rows) {
    Tensor result(Shape{rows.size(), rows[0].size()});
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t c = 0; c < rows[r].size(); ++c) {
            result(r, c) = static_cast<Real>(rows[r][c]);
        }
    }
    return result;
}

}  // namespace

Inputs three_inputs() {
    return {{{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}}};
}

// [weights]
ProjectionWeights worked_example_weights() {
    return {.key = {{{0, 0, 1}, {1, 1, 0}, {0, 1, 0}, {1, 1, 0}}},
            .query = {{{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}}},
            .value = {{{0, 2, 0}, {0, 3, 0}, {1, 0, 3}, {1, 1, 0}}}};
}
// [weights]

// [asymmetric]
ProjectionWeights asymmetric_example_weights() {
    ProjectionWeights weights = worked_example_weights();
    weights.query = {{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}}};
    return weights;
}
// [asymmetric]

Tensor to_tensor(const Inputs& inputs) {
    return rows_to_tensor(inputs);
}

Tensor to_tensor(const WeightMatrix& weight) {
    return rows_to_tensor(weight);
}

}  // namespace bert
