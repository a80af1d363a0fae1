#include "ch14_bert/packed_encoder.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include "ch07_encoder/in_layer.hpp"
#include "ch14_bert/packed_encoder_run.hpp"
#include "ch14_bert/row_functions.hpp"
#include "common/io/mapped_file.hpp"
#include "common/tensor/first_error.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

namespace {

After after_of(Activation activation) {
    switch (activation) {
        case Activation::relu:
            return After::relu;
        case Activation::gelu:
            return After::gelu;
        case Activation::gelu_tanh:
            return After::gelu_tanh;
    }
    throw std::invalid_argument{"PackedEncoder: no such activation"};
}

void require_finite_weights(const Tensor& x) {
    if (!all_finite(x.data(), x.size())) require_finite("weight", x);
}

// Packs a layer and takes its weights from it, and from memory those that lie in a file.
PackedLinear packed(Linear& linear, After after = After::nothing) {
    require_finite_weights(linear.weight);
    require_finite_weights(linear.bias);
    PackedLinear result{linear.weight, linear.bias, after};
    release_mapped_pages(linear.weight.data(), linear.weight.size() * sizeof(Real));
    linear = {};
    return result;
}

PackedEncoderLayer packed(EncoderLayer& layer) {
    if (layer.norm_order != NormOrder::post)
        throw std::invalid_argument{"PackedEncoder: the layers are not post-norm"};
    auto& [query, key, value, output, num_heads] = layer.self_attention;
    Linear all{concat({query.weight, key.weight, value.weight}, 0),
               concat({query.bias, key.bias, value.bias}, 0)};
    for (Linear* const part : {&query, &key, &value}) {
        release_mapped_pages(part->weight.data(), part->weight.size() * sizeof(Real));
        *part = {};
    }
    const After after = after_of(layer.feed_forward.activation);
    return {packed(all),
            packed(output),
            layer.attention_norm,
            packed(layer.feed_forward.inner, after),
            packed(layer.feed_forward.outer),
            layer.feed_forward_norm};
}

std::vector<PackedEncoderLayer> packed(Encoder& encoder) {
    std::vector<std::optional<PackedEncoderLayer>> layers(encoder.layers.size());
    FirstError error;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t l = 0; l < layers.size(); ++l)
        error.guard(
            [&] { layers[l] = in_layer("encoder", l, [&] { return packed(encoder.layers[l]); }); });
    error.rethrow();
    std::vector<PackedEncoderLayer> result;
    for (std::optional<PackedEncoderLayer>& layer : layers)
        result.push_back(std::move(*layer));
    return result;
}

}  // namespace

PackedEncoder::PackedEncoder(Encoder encoder) {
    if (encoder.layers.empty() || encoder.final_norm)
        throw std::invalid_argument{"PackedEncoder: needs layers, and no norm after the last"};
    num_heads_ = encoder.layers.front().self_attention.num_heads;
    layers_ = packed(encoder);
    width_ = layers_.front().query_key_value.inputs();
}

PackedEncoder::PackedEncoder(std::size_t num_layers,
                             const std::function<EncoderLayer(std::size_t)>& make_layer) {
    for (std::size_t l = 0; l < num_layers; ++l) {
        EncoderLayer layer = make_layer(l);
        num_heads_ = layer.self_attention.num_heads;
        layers_.push_back(packed(layer));
    }
    if (layers_.empty()) throw std::invalid_argument{"PackedEncoder: no layers"};
    width_ = layers_.front().query_key_value.inputs();
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
