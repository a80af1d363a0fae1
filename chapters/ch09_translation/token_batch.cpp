#include "ch09_translation/token_batch.hpp"

#include <algorithm>
#include <string>

namespace bert {

TokenBatch pad_sentences(const std::vector<TokenIds>& sentences) {
    if (sentences.empty()) throw ShapeError{"pad_sentences: no sentences"};
    std::size_t longest = 0;
    for (std::size_t b = 0; b < sentences.size(); ++b) {
        if (sentences[b].empty()) {
            throw ShapeError{"pad_sentences: sentence " + std::to_string(b) + " has no tokens"};
        }
        longest = std::max(longest, sentences[b].size());
    }
    TokenBatch batch{sentences.size(), longest, TokenIds(sentences.size() * longest, pad_id),
                     Tensor(Shape{sentences.size(), longest})};
    for (std::size_t b = 0; b < sentences.size(); ++b) {
        const auto row = static_cast<std::ptrdiff_t>(b * longest);
        std::copy(sentences[b].begin(), sentences[b].end(), batch.ids.begin() + row);
        std::fill_n(batch.attention_mask.mutable_data() + row, sentences[b].size(), Real{1});
    }
    return batch;
}

// [teacher_forcing]
TrainingBatch make_training_batch(const std::vector<PairIds>& pairs) {
    std::vector<TokenIds> sources;
    std::vector<TokenIds> inputs;
    std::vector<TokenIds> labels;
    for (const PairIds& pair : pairs) {
        // EXERCISE BEGIN 09-shift-right
        // STEP source   as it is
        sources.push_back(pair.source);
        // STEP input    what the decoder reads: the start, then the words
        inputs.push_back({start_id});
        inputs.back().insert(inputs.back().end(), pair.target.begin(), pair.target.end());
        // STEP labels   what it has to say: the words, then the end
        labels.push_back(pair.target);
        labels.back().push_back(end_id);
        // STUB: static_cast<void>(pair);
        // EXERCISE END
    }
    return {pad_sentences(sources), pad_sentences(inputs), pad_sentences(labels).ids};
}
// [teacher_forcing]

}  // namespace bert
