#include "ch15_pretraining/pretraining_batch.hpp"

#include <stdexcept>
#include <string>

#include "ch13_bert_input/batch.hpp"

namespace bert {

namespace {

void require_positions(const PretrainingExample& example, std::size_t number) {
    const bool fits =
        example.first_length <= example.tokens.size() &&
        example.positions.size() == example.replacements.size() &&
        (example.positions.empty() || example.positions.back() < example.tokens.size());
    if (fits) return;
    throw std::invalid_argument{"make_pretraining_batch: the positions of example " +
                                std::to_string(number) + " do not fit its " +
                                std::to_string(example.tokens.size()) + " tokens"};
}

Encoding encoding_of(const PretrainingExample& example) {
    Encoding encoding;
    for (const TokenId token : masked_tokens(example)) {
        const bool second = encoding.input_ids.size() >= example.first_length;
        encoding.input_ids.push_back(token);
        encoding.token_type_ids.push_back(second ? 1 : 0);
        encoding.attention_mask.push_back(1);
    }
    encoding.special_tokens_mask.resize(encoding.length());
    encoding.offsets.resize(encoding.length());
    encoding.word_ids.resize(encoding.length());
    return encoding;
}

}  // namespace

PretrainingBatch make_pretraining_batch(std::span<const PretrainingExample> examples,
                                        TokenId pad_id) {
    std::vector<Encoding> encodings;
    for (const PretrainingExample& example : examples) {
        require_positions(example, encodings.size());
        encodings.push_back(encoding_of(example));
    }
    pad_to_longest(encodings, pad_id);
    PretrainingBatch batch;
    batch.input = make_batch(encodings, pad_id);
    for (std::size_t b = 0; b < examples.size(); ++b) {
        for (const std::uint32_t position : examples[b].positions) {
            batch.places.push_back(static_cast<std::int64_t>(b * batch.input.length + position));
            batch.labels.push_back(examples[b].tokens[position]);
        }
        batch.next_labels.push_back(examples[b].is_random_next ? random_next_label : is_next_label);
    }
    return batch;
}

}  // namespace bert
