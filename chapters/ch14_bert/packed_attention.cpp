#include "ch14_bert/packed_attention.hpp"

#include <algorithm>
#include <cmath>

#include "ch14_bert/row_functions.hpp"
#include "common/tensor/matmul_kernels.hpp"

namespace bert {

namespace {

// The rows [begin, end) of one example, of which [first, last) are queries.
struct Part {
    std::size_t begin;
    std::size_t end;
    std::size_t first;
    std::size_t last;
};

// scores (queries, keys) of one head to weights.
void softmax_rows(const PackedRows& rows, const Part& part, Real* scores, Real scale) {
    const std::size_t keys = part.end - part.begin;
    const Real* const visible = rows.visible.empty() ? nullptr : rows.visible.data() + part.begin;
    for (std::size_t i = 0; i < part.last - part.first; ++i) {
        if (!softmax_in_place(scores + i * keys, visible, keys, scale))
            throw NumericError{"attention: a score is NaN or infinite"};
    }
}

// The weights of one head into its map (T, T).
void store_map(const PackedRows& rows, const Part& part, const Real* weights, Real* map,
               std::size_t length) {
    const std::size_t keys = part.end - part.begin;
    for (std::size_t i = 0; i < part.last - part.first; ++i) {
        Real* const row = map + rows.places[part.first + i] % length * length;
        for (std::size_t j = 0; j < keys; ++j)
            row[rows.places[part.begin + j] % length] = weights[i * keys + j];
    }
}

// All heads for the queries of a part; context is that of its first query.
void attend(const QueryKeyValue& qkv, const PackedRows& rows, const Part& part, Real* scores,
            Real* context, const MapPlace& maps) {
    const std::size_t d = qkv.width;
    const std::size_t k = d / qkv.num_heads;
    const std::size_t stride = 3 * d;
    const Real scale = static_cast<Real>(1.0 / std::sqrt(static_cast<double>(k)));
    const std::size_t queries = part.last - part.first;
    const std::size_t keys = part.end - part.begin;
    for (std::size_t h = 0; h < qkv.num_heads; ++h) {
        const Operand q{qkv.numbers + part.first * stride + h * k, stride, 1};
        const Operand key_t{qkv.numbers + part.begin * stride + d + h * k, 1, stride};
        const Operand v{qkv.numbers + part.begin * stride + 2 * d + h * k, stride, 1};
        multiply_by_this_thread({queries, keys, k, q, key_t, scores, keys});
        softmax_rows(rows, part, scores, scale);
        if (maps.numbers != nullptr) {
            const std::size_t square = maps.length * maps.length;
            const std::size_t example = rows.places[part.first] / maps.length;
            Real* const map = maps.numbers + (example * maps.num_heads + h) * square;
            store_map(rows, part, scores, map, maps.length);
        }
        multiply_by_this_thread({queries, k, keys, {scores, keys, 1}, v, context + h * k, d});
    }
}

}  // namespace

void attend_block(const QueryKeyValue& qkv, const PackedRows& rows, const RowBlock& block,
                  Real* scores, Real* context, const MapPlace& maps) {
    const auto upper = std::upper_bound(rows.first.begin(), rows.first.end(), block.begin);
    auto example = static_cast<std::size_t>(upper - rows.first.begin()) - 1;
    for (std::size_t row = block.begin; row < block.end;) {
        const std::size_t end = rows.first[example + 1];
        const Part part{rows.first[example], end, row,
                        std::min({block.end, end, row + queries_at_once})};
        attend(qkv, rows, part, scores, context + (row - block.begin) * qkv.width, maps);
        row = part.last;
        while (row < block.end && row == rows.first[example + 1])
            ++example;
    }
}

}  // namespace bert
