#include "ch08_decoder/decoder.hpp"

#include <stdexcept>

#include "ch07_encoder/in_layer.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

namespace {

// Attention as a sublayer: the output, and the weights to the recorder if there is one.
Tensor attend(const MultiHeadAttention& layer, const Tensor& x, const Tensor& y, const Tensor& mask,
              AttentionRecorder* recorder) {
    Attention attention = layer(x, y, mask);
    if (recorder != nullptr) recorder->weights.push_back(detach(attention.weights));
    return attention.output;
}

}  // namespace

// [layer]
Tensor DecoderLayer::operator()(const Tensor& x, const Tensor& memory, const Tensor& self_mask,
                                const Tensor& memory_mask, const DecoderPass& pass) const {
    const auto look_back = [&](const Tensor& input) {
        return attend(self_attention, input, input, self_mask, pass.self_recorder);
    };
    const auto look_at_source = [&](const Tensor& input) {
        return attend(cross_attention, input, memory, memory_mask, pass.cross_recorder);
    };
    Tensor y = x;
    // EXERCISE BEGIN 08-decoder-layer
    // STEP look back         masked self-attention, with what is around it
    y = residual(norm_order, self_attention_norm, y, pass.dropout, look_back);
    // STEP look at source    cross-attention, with what is around it
    y = residual(norm_order, cross_attention_norm, y, pass.dropout, look_at_source);
    // STEP feed              the feed-forward network, with what is around it
    y = residual(norm_order, feed_forward_norm, y, pass.dropout, feed_forward);
    // STUB: static_cast<void>(look_back); static_cast<void>(look_at_source);
    // EXERCISE END
    return y;  // (B, T, D)
}
// [layer]

// [decoder]
Tensor Decoder::operator()(const Tensor& x, const Tensor& memory, const Tensor& self_mask,
                           const Tensor& memory_mask, const DecoderPass& pass) const {
    if (layers.empty()) throw std::invalid_argument{"Decoder: it has no layers"};
    Tensor hidden = x;  // (B, T, D) before and after every layer
    for (std::size_t l = 0; l < layers.size(); ++l) {
        hidden = in_layer("decoder", l,
                          [&] { return layers[l](hidden, memory, self_mask, memory_mask, pass); });
    }
    return final_norm ? (*final_norm)(hidden) : hidden;
}
// [decoder]

Decoder random_decoder(Random& random, const EncoderSize& size) {
    require_size("random_decoder", size);
    Decoder decoder;
    for (std::size_t l = 0; l < size.num_layers; ++l) {
        decoder.layers.push_back(
            {random_attention(random, size.width, size.num_heads), unit_layer_norm(size.width),
             random_attention(random, size.width, size.num_heads), unit_layer_norm(size.width),
             random_feed_forward(random, size), unit_layer_norm(size.width), size.norm_order});
    }
    if (size.norm_order == NormOrder::pre) decoder.final_norm = unit_layer_norm(size.width);
    return decoder;
}

}  // namespace bert
