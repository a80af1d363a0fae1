#include "ch07_encoder/encoder.hpp"

#include <functional>
#include <stdexcept>

#include "ch07_encoder/in_layer.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

// [layer]
Tensor EncoderLayer::operator()(const Tensor& x, const Tensor& mask, const Pass& pass) const {
    WeightsChange drop_weights;
    if (pass.attention_dropout != nullptr) drop_weights = std::ref(*pass.attention_dropout);
    const auto attend = [&](const Tensor& input) {
        Attention attention = self_attention(input, input, mask, drop_weights);
        if (pass.recorder != nullptr) pass.recorder->weights.push_back(detach(attention.weights));
        return attention.output;
    };
    Tensor y = x;
    // EXERCISE BEGIN 07-encoder-layer
    // STEP attend    self-attention, with what is around it
    y = residual(norm_order, attention_norm, y, pass.dropout, attend);
    // STEP feed      the feed-forward network, with what is around it
    y = residual(norm_order, feed_forward_norm, y, pass.dropout, feed_forward);
    // STUB: static_cast<void>(attend);
    // EXERCISE END
    return y;  // (B, T, D)
}
// [layer]

// [encoder]
Tensor Encoder::operator()(const Tensor& x, const Tensor& mask, const Pass& pass) const {
    if (layers.empty()) throw std::invalid_argument{"Encoder: it has no layers"};
    Tensor hidden = x;  // (B, T, D) before and after every layer
    for (std::size_t l = 0; l < layers.size(); ++l)
        hidden = in_layer("encoder", l, [&] { return layers[l](hidden, mask, pass); });
    return final_norm ? (*final_norm)(hidden) : hidden;
}
// [encoder]

}  // namespace bert
