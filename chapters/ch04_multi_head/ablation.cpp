#include "ch04_multi_head/ablation.hpp"

#include <algorithm>
#include <cmath>

namespace bert {

MultiHeadAttention without_head(MultiHeadAttention layer, std::size_t head) {
    Tensor& weight = layer.output.weight;  // (D, H K)
    if (weight.rank() != 2 || head >= layer.num_heads || weight.dim(1) % layer.num_heads != 0) {
        throw ShapeError{"without_head: no head " + std::to_string(head) + " of H=" +
                         std::to_string(layer.num_heads) + " in W_O " + to_string(weight.shape())};
    }
    const std::size_t width = weight.dim(1) / layer.num_heads;  // K
    for (std::size_t r = 0; r < weight.num_rows(); ++r) {
        const auto columns = weight.mutable_row(r).subspan(head * width, width);
        std::fill(columns.begin(), columns.end(), Real{0});
    }
    return layer;
}

std::vector<double> changes_without_heads(const MultiHeadAttention& layer, const Tensor& x,
                                          const Tensor& mask) {
    const Tensor whole = layer(x, x, mask).output;
    std::vector<double> changes;
    for (std::size_t h = 0; h < layer.num_heads; ++h) {
        const Tensor rest = without_head(layer, h)(x, x, mask).output;
        double sum = 0.0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            sum += std::abs(static_cast<double>(whole.data()[i]) -
                            static_cast<double>(rest.data()[i]));
        }
        changes.push_back(sum / static_cast<double>(whole.size()));
    }
    return changes;
}

}  // namespace bert
