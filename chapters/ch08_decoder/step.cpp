#include "ch08_decoder/step.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "ch03_masks/masks.hpp"
#include "ch07_encoder/in_layer.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

namespace {

void require_memory(const Tensor& memory, const Tensor& memory_mask) {
    const bool fits = memory.rank() == 3 && memory_mask.rank() == 3 &&
                      memory_mask.shape() == Shape{memory.dim(0), 1, memory.dim(1)};
    if (fits) return;
    throw ShapeError{"start_cache: memory " + with_letters(memory.shape(), "BSD") +
                     " and memory_mask " + to_string(memory_mask.shape()) +
                     " are not (B, S, D) and (B, 1, S)"};
}

void require_cache(const Decoder& decoder, const Tensor& x, const DecoderCache& cache) {
    if (cache.layers.empty() || cache.layers.size() != decoder.layers.size()) {
        throw ShapeError{"step: a cache of " + std::to_string(cache.layers.size()) +
                         " layers for a decoder of " + std::to_string(decoder.layers.size())};
    }
    const std::size_t batch = cache.memory_mask.dim(0);
    if (x.rank() == 3 && x.dim(0) == batch && x.dim(1) == 1) return;
    throw ShapeError{"step: x " + with_letters(x.shape(), "BTD") +
                     " is not one position (B=" + std::to_string(batch) + ", T=1, D)"};
}

KeysAndValues keys_and_values(const MultiHeadAttention& layer, const Tensor& input) {
    return {split_heads(layer.key(input), layer.num_heads),
            split_heads(layer.value(input), layer.num_heads)};
}

// MultiHeadAttention with keys and values that are there already.
Tensor attend(const MultiHeadAttention& layer, const Tensor& x, const KeysAndValues& known,
              const Tensor& mask) {
    const Tensor q = split_heads(layer.query(x), layer.num_heads);  // (B, H, 1, K)
    const Attention attention = masked_attention(q, known.keys, known.values, mask);
    return layer.output(merge_heads(attention.output));  // (B, 1, D)
}

Tensor append(const Tensor& kept, const Tensor& present) {
    return kept.size() == 0 ? present : concat({kept, present}, 2);  // along the positions
}

// [look_back]
// Self-attention of one position: its key and value join those of the positions before it.
Tensor look_back(const MultiHeadAttention& layer, const Tensor& x, KeysAndValues& known) {
    const Tensor visible(Shape{1, 1}, {1});  // all: later positions are not there yet
    // EXERCISE BEGIN 08-step
    // STEP present   keys and values of this position     (B, H, 1, K)
    const KeysAndValues present = keys_and_values(layer, x);
    // STEP append    to those of the positions before     (B, H, t + 1, K)
    known = {append(known.keys, present.keys), append(known.values, present.values)};
    // STUB: known = {append({}, keys_and_values(layer, x).keys), keys_and_values(layer, x).values};
    // EXERCISE END
    return attend(layer, x, known, visible);
}
// [look_back]

Tensor layer_step(const DecoderLayer& layer, const Tensor& x, DecoderLayerCache& cache,
                  const Tensor& memory_mask) {
    const auto self = [&](const Tensor& input) {
        return look_back(layer.self_attention, input, cache.self);
    };
    const auto cross = [&](const Tensor& input) {
        return attend(layer.cross_attention, input, cache.cross, mask_for_heads(memory_mask));
    };
    const NormOrder order = layer.norm_order;
    Tensor y = residual(order, layer.self_attention_norm, x, nullptr, self);
    y = residual(order, layer.cross_attention_norm, y, nullptr, cross);
    return residual(order, layer.feed_forward_norm, y, nullptr, layer.feed_forward);
}

}  // namespace

DecoderCache start_cache(const Decoder& decoder, const Tensor& memory, const Tensor& memory_mask) {
    if (decoder.layers.empty()) throw std::invalid_argument{"start_cache: a decoder has no layers"};
    require_memory(memory, memory_mask);
    const NoGradient no_gradient;
    DecoderCache cache{.layers = {}, .memory_mask = memory_mask};
    for (const DecoderLayer& layer : decoder.layers)
        cache.layers.push_back({{}, keys_and_values(layer.cross_attention, memory)});
    return cache;
}

// [step]
Tensor step(const Decoder& decoder, const Tensor& x, DecoderCache& cache) {
    require_cache(decoder, x, cache);
    const NoGradient no_gradient;
    DecoderCache longer = cache;  // copies no numbers; replaces the cache when nothing has thrown
    Tensor hidden = x;            // (B, 1, D)
    for (std::size_t l = 0; l < decoder.layers.size(); ++l) {
        hidden = in_layer("decoder", l, [&] {
            return layer_step(decoder.layers[l], hidden, longer.layers[l], longer.memory_mask);
        });
    }
    if (decoder.final_norm) hidden = (*decoder.final_norm)(hidden);
    ++longer.length;
    cache = std::move(longer);
    return hidden;
}
// [step]

}  // namespace bert
