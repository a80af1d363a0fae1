#include "ch17_attention_maps/record.hpp"

#include <numeric>
#include <utility>

#include "common/tensor/layout.hpp"

namespace bert {

// [record]
Tensor stacked_maps(const std::vector<Tensor>& layers) {
    std::vector<Tensor> parts;
    for (const Tensor& weights : layers) {
        Shape shape = weights.shape();
        if (shape.size() != 4) {
            throw ShapeError{"stacked_maps: a layer's weights " + to_string(shape) +
                             " (expected (B, H, T, S))"};
        }
        shape.insert(shape.begin(), 1);
        parts.push_back(weights.reshaped(shape));
    }
    if (parts.empty()) throw ShapeError{"stacked_maps: no layers"};
    return concat(parts, 0);
}
// [record]

AttentionDump dump_of(const std::vector<Tensor>& layers,
                      std::vector<std::vector<std::string>> tokens) {
    AttentionDump dump;
    dump.attentions = stacked_maps(layers);
    dump.layers.resize(dump.attentions.dim(0));
    std::iota(dump.layers.begin(), dump.layers.end(), 0);
    dump.heads.resize(dump.attentions.dim(2));
    std::iota(dump.heads.begin(), dump.heads.end(), 0);
    dump.tokens = std::move(tokens);
    return dump;
}

}  // namespace bert
