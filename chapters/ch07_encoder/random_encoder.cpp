#include <stdexcept>
#include <string>

#include "ch06_learning/initialise.hpp"
#include "ch07_encoder/encoder.hpp"

namespace bert {

namespace {

Linear xavier_linear(Random& random, std::size_t in, std::size_t out) {
    return {xavier_uniform(random, {out, in}), Tensor(Shape{out})};
}

}  // namespace

void require_size(std::string_view function, const EncoderSize& size) {
    const auto refuse = [&](const char* what) {
        throw std::invalid_argument{std::string{function} + ": " + what +
                                    " (found 0, expected at least 1)"};
    };
    if (size.num_layers == 0) refuse("layers");
    if (size.width == 0) refuse("width");
    if (size.inner_width == 0) refuse("inner width");
    if (size.num_heads != 0 && size.width % size.num_heads == 0) return;
    throw ShapeError{std::string{function} + ": width D=" + std::to_string(size.width) +
                     " does not split into H=" + std::to_string(size.num_heads) + " heads"};
}

MultiHeadAttention random_attention(Random& random, std::size_t width, std::size_t num_heads) {
    return {xavier_linear(random, width, width), xavier_linear(random, width, width),
            xavier_linear(random, width, width), xavier_linear(random, width, width), num_heads};
}

FeedForward random_feed_forward(Random& random, const EncoderSize& size) {
    return {xavier_linear(random, size.width, size.inner_width),
            xavier_linear(random, size.inner_width, size.width), size.activation};
}

Encoder random_encoder(Random& random, const EncoderSize& size) {
    require_size("random_encoder", size);
    Encoder encoder;
    for (std::size_t l = 0; l < size.num_layers; ++l) {
        encoder.layers.push_back({random_attention(random, size.width, size.num_heads),
                                  unit_layer_norm(size.width), random_feed_forward(random, size),
                                  unit_layer_norm(size.width), size.norm_order});
    }
    if (size.norm_order == NormOrder::pre) encoder.final_norm = unit_layer_norm(size.width);
    return encoder;
}

}  // namespace bert
