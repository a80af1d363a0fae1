// A BERT that trains in milliseconds.
#pragma once

#include "ch15_pretraining/pretraining_step.hpp"
#include "ch15_pretraining/random_examples.hpp"

namespace bert::test {

inline BertConfig small_config() {
    BertConfig config;
    config.vocab_size = 37;
    config.hidden_size = 16;
    config.num_hidden_layers = 2;
    config.num_attention_heads = 2;
    config.intermediate_size = 24;
    config.max_position_embeddings = 12;
    return config;
}

inline BertConfig without_dropout(BertConfig config) {
    config.hidden_dropout_prob = 0.0;
    config.attention_probs_dropout_prob = 0.0;
    return config;
}

inline PretrainingBatch small_batch(std::uint64_t seed, std::size_t examples = 4) {
    Random random{seed};
    return make_pretraining_batch(random_examples(random, examples, 12, 3, 37), 0);
}

}  // namespace bert::test
