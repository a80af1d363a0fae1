#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "ch08_decoder/step.hpp"

namespace bert {

namespace {

// y[i] = x[rows[i]] along axis 0
Tensor select(const Tensor& x, const std::vector<std::size_t>& rows) {
    if (x.size() == 0) return x;
    Shape shape = x.shape();
    const std::size_t run = x.size() / shape[0];
    shape[0] = rows.size();
    Tensor y = Tensor::for_overwrite(shape);
    Real* to = y.mutable_data();
    for (const std::size_t row : rows)
        to = std::copy_n(x.data() + row * run, run, to);
    return y;
}

KeysAndValues select(const KeysAndValues& known, const std::vector<std::size_t>& rows) {
    return {select(known.keys, rows), select(known.values, rows)};
}

void require_rows(const DecoderCache& cache, const std::vector<std::size_t>& rows) {
    if (rows.empty()) throw std::invalid_argument{"reorder: no rows"};
    const std::size_t batch = cache.memory_mask.dim(0);
    for (const std::size_t row : rows) {
        if (row < batch) continue;
        throw std::invalid_argument{"reorder: row (found " + std::to_string(row) +
                                    ", expected one below the batch size " + std::to_string(batch) +
                                    ")"};
    }
}

}  // namespace

// [reorder]
void reorder(DecoderCache& cache, const std::vector<std::size_t>& rows) {
    require_rows(cache, rows);
    DecoderCache chosen{{}, select(cache.memory_mask, rows), cache.length};
    for (const DecoderLayerCache& layer : cache.layers)
        chosen.layers.push_back({select(layer.self, rows), select(layer.cross, rows)});
    cache = std::move(chosen);
}
// [reorder]

}  // namespace bert
