#include "ch17_attention_maps/rollout.hpp"

#include <fmt/core.h>

#include <numeric>
#include <span>
#include <vector>

#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/reduce.hpp"

namespace bert {

namespace {

void require_square(const char* function, const Tensor& x, std::size_t rank) {
    if (x.rank() == rank && x.dim(-2) == x.dim(-1) && x.size() > 0) return;
    throw ShapeError{fmt::format("{}: attentions {} (expected {}B, H, T, T), not empty)", function,
                                 to_string(x.shape()), rank == 5 ? "(L, " : "(")};
}

}  // namespace

// [with-residual]
Tensor with_residual(const Tensor& weights) {
    require_square("with_residual", weights, 4);
    Tensor mixed = mean(weights, 1);  // (B, T, T)
    for (std::size_t r = 0; r < mixed.num_rows(); ++r) {
        const std::span<Real> row = mixed.mutable_row(r);  // of query r mod T
        // EXERCISE BEGIN 17-with-residual
        // STEP mix         0.5 A + 0.5 I
        // STEP normalise   the row divided by its sum
        for (Real& share : row)
            share *= Real{0.5};
        row[r % row.size()] += Real{0.5};
        const double total = std::accumulate(row.begin(), row.end(), 0.0);
        for (Real& share : row)
            share = static_cast<Real>(static_cast<double>(share) / total);
        // STUB: static_cast<void>(row);
        // EXERCISE END
    }
    return mixed;
}
// [with-residual]

// [rollout]
Tensor rollout_by_layer(const Tensor& attentions) {
    require_square("rollout", attentions, 5);
    const Shape& shape = attentions.shape();
    const Shape one_layer{shape.begin() + 1, shape.end()};  // (B, H, T, T)
    std::vector<Tensor> products;
    Tensor product;
    for (std::size_t l = 0; l < shape[0]; ++l) {
        const Tensor mixed = with_residual(slice(attentions, 0, l, l + 1).reshaped(one_layer));
        product = l == 0 ? mixed : matmul(mixed, product);
        products.push_back(product.reshaped({1, shape[1], shape[3], shape[4]}));
    }
    return concat(products, 0);
}
// [rollout]

Tensor rollout(const Tensor& attentions) {
    const Tensor all = rollout_by_layer(attentions);
    const std::size_t last = all.dim(0) - 1;
    return slice(all, 0, last, last + 1).reshaped({all.dim(1), all.dim(2), all.dim(3)});
}

Tensor rollout(const AttentionDump& dump) {
    validate(dump);
    if (!dump.source_tokens.empty() && dump.mask != AttentionMask::causal) {
        throw ShapeError{"rollout: the sources are not the targets: no self-attention"};
    }
    if (dump.layers.front() != 0) {
        throw ShapeError{
            fmt::format("rollout: layer {} comes first (expected layer 0)", dump.layers.front())};
    }
    for (std::size_t l = 1; l < dump.layers.size(); ++l) {
        if (dump.layers[l] == dump.layers[l - 1] + 1) continue;
        throw ShapeError{fmt::format("rollout: layer {} follows layer {} (expected every layer)",
                                     dump.layers[l], dump.layers[l - 1])};
    }
    return rollout(dump.attentions);
}

Heatmap rollout_heatmap(const AttentionDump& dump) {
    const Tensor shares = rollout(dump);
    Heatmap heatmap;
    heatmap.values = slice(shares, 0, 0, 1).reshaped({shares.dim(1), shares.dim(2)});
    heatmap.row_names = dump.tokens[0];
    heatmap.column_names = source_tokens_of(dump)[0];
    heatmap.title = dump.title.empty() ? "Rollout" : "Rollout: " + dump.title;
    heatmap.range = {0.0, 1.0};
    return heatmap;
}

}  // namespace bert
