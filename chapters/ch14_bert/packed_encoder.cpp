#include "ch14_bert/packed_encoder.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include "ch07_encoder/in_layer.hpp"
#include "ch14_bert/packed_encoder_run.hpp"
#include "common/tensor/first_error.hpp"

namespace bert {

namespace {

std::vector<PackedEncoderLayer> packed(Encoder& encoder) {
    std::vector<std::optional<PackedEncoderLayer>> layers(encoder.layers.size());
    FirstError error;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t l = 0; l < layers.size(); ++l)
        error.guard([&] {
            layers[l] = in_layer("encoder", l, [&] { return packed_layer(encoder.layers[l]); });
        });
    error.rethrow();
    std::vector<PackedEncoderLayer> result;
    for (std::optional<PackedEncoderLayer>& layer : layers)
        result.push_back(std::move(*layer));
    return result;
}

// The run has one set of buffers for all layers.
void require_alike(const std::vector<PackedEncoderLayer>& layers) {
    const auto shape_of = [](const PackedEncoderLayer& layer) {
        Shape shape{layer.attention_norm.weight.size()};
        for (const PackedShare& share : layer.shares)
            shape.insert(shape.end(), {share.num_heads, share.attention_output.inputs()});
        return shape;
    };
    for (const PackedEncoderLayer& layer : layers)
        if (shape_of(layer) != shape_of(layers.front()))
            throw ShapeError{"PackedEncoder: the layers have different widths, heads or shares"};
}

}  // namespace

PackedEncoder::PackedEncoder(Encoder encoder) {
    if (encoder.layers.empty() || encoder.final_norm)
        throw std::invalid_argument{"PackedEncoder: needs layers, and no norm after the last"};
    num_heads_ = encoder.layers.front().self_attention.num_heads;
    layers_ = packed(encoder);
    require_alike(layers_);
    width_ = layers_.front().attention_norm.weight.size();
}

PackedEncoder::PackedEncoder(std::size_t num_layers,
                             const std::function<EncoderLayer(std::size_t)>& make_layer) {
    for (std::size_t l = 0; l < num_layers; ++l) {
        EncoderLayer layer = make_layer(l);
        num_heads_ = layer.self_attention.num_heads;
        layers_.push_back(in_layer("encoder", l, [&] { return packed_layer(layer); }));
    }
    if (layers_.empty()) throw std::invalid_argument{"PackedEncoder: no layers"};
    require_alike(layers_);
    width_ = layers_.front().attention_norm.weight.size();
}

EncoderRun PackedEncoder::operator()(const Tensor& x, const Tensor& attention_mask,
                                     const EncoderWishes& wishes) const {
    if (x.rank() != 3 || x.dim(2) != width_ ||
        attention_mask.shape() != Shape{x.dim(0), x.dim(1)}) {
        throw ShapeError{"PackedEncoder: x " + with_letters(x.shape(), "BTD") +
                         " and attention_mask " + to_string(attention_mask.shape()) +
                         " do not fit D=" + std::to_string(width_)};
    }
    PackedEncoderRun run{layers_, num_heads_, x, attention_mask, wishes};
    return run.result();
}

}  // namespace bert
