#include "ch04_multi_head/examples.hpp"

#include <numbers>

#include "ch03_masks/masks.hpp"

namespace bert {

Tensor by_hand_input() {
    return {{{1, 0}, {0, 1}, {1, 1}}};
}

MultiHeadAttention by_hand_layer() {
    const double ln2 = std::numbers::ln2;
    const double ln3 = 1.0986122886681098;
    return {.query = {.weight = {{1, 0}, {0, 1}}, .bias = {}},
            .key = {.weight = {{ln2, 0}, {0, ln3}}, .bias = {}},
            .value = {.weight = {{5, 0}, {0, 7}}, .bias = {}},
            .output = {.weight = {{1, 1}, {2, -1}}, .bias = {}},  // (out, in): W_O transposed
            .num_heads = 2};
}

SentenceExample sentence_example(std::size_t num_heads) {
    Random random{4};
    SentenceExample example;
    example.words = {"the", "cat", "sat", "on", "a", "mat"};
    example.x = normal(random, {1, example.words.size(), sentence_width}, 0.0, 1.0);
    example.mask = causal_mask(example.words.size());
    // Larger than 1 / sqrt(24) = 0.2, so that the scores spread and the maps have contrast.
    example.layer = random_multi_head(random, sentence_width, num_heads, 0.3);
    return example;
}

}  // namespace bert
