#include "ch14_bert/packed_rows.hpp"

#include <algorithm>

namespace bert {

PackedRows packed_rows(const Tensor& attention_mask, bool with_padding) {
    PackedRows rows;
    const std::size_t batch = attention_mask.dim(0);
    const std::size_t length = attention_mask.dim(1);
    bool all_visible = true;
    for (std::size_t b = 0; b < batch; ++b) {
        rows.first.push_back(rows.places.size());
        for (std::size_t t = 0; t < length; ++t) {
            const Real visible = attention_mask.data()[b * length + t];
            if (visible == Real{0} && !with_padding) continue;
            rows.places.push_back(b * length + t);
            rows.visible.push_back(visible);
            all_visible = all_visible && visible != Real{0};
        }
        rows.longest = std::max(rows.longest, rows.places.size() - rows.first.back());
    }
    rows.first.push_back(rows.places.size());
    if (all_visible) rows.visible.clear();
    return rows;
}

std::vector<RowBlock> row_blocks(std::size_t rows) {
    constexpr std::size_t most = 256;  // more do not make the products faster
    const std::size_t count = (rows + most - 1) / most;
    std::vector<RowBlock> blocks;
    for (std::size_t i = 0; i < count; ++i)
        blocks.push_back({rows * i / count, rows * (i + 1) / count});
    return blocks;
}

}  // namespace bert
