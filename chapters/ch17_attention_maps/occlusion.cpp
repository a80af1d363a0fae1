#include "ch17_attention_maps/occlusion.hpp"

#include <cstddef>

#include "ch06_learning/cross_entropy.hpp"
#include "ch07_encoder/encoder.hpp"
#include "ch09_translation/decoding.hpp"
#include "ch09_translation/training_data.hpp"
#include "ch17_attention_maps/record.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/reduce.hpp"

namespace bert {

namespace {

// The same sentence once for each of its words, that word hidden, and once whole at the end.
TokenBatch hide_each(const TokenIds& ids) {
    TokenBatch batch = pad_sentences(std::vector<TokenIds>(ids.size() + 1, ids));
    for (std::size_t hidden = 0; hidden < ids.size(); ++hidden)
        batch.attention_mask(hidden, hidden) = Real{0};
    return batch;
}

}  // namespace

std::vector<WordNeed> word_needs(const TranslationModel& model, const std::string& sentence) {
    const Transformer& transformer = model.transformer;
    const NoGradient no_gradient;
    const std::size_t longest = transformer.positions.dim(0);
    const TokenIds ids = source_ids(model.source, sentence, longest);
    const PairIds pair{ids, greedy(transformer, {ids}, longest - 1)[0].tokens};
    const TrainingBatch batch =
        make_training_batch(std::vector<PairIds>(ids.size() + 1, pair));  // input and labels
    const std::size_t labels = batch.input.length;

    // [occlusion]
    AttentionRecorder cross;
    const Tensor logits =
        transformer.logits(hide_each(ids), batch.input, {nullptr, nullptr, nullptr, &cross});
    const Tensor log_p = log_softmax(logits);  // (words + 1, T, V)
    const auto log_probability = [&](std::size_t hidden) {
        double sum = 0.0;
        for (std::size_t t = 0; t < labels; ++t)
            sum += static_cast<double>(log_p(hidden, t, batch.labels[t]));
        return sum;
    };
    // [occlusion]
    const Tensor share = mean(mean(mean(stacked_maps(cross.weights), 0), 1), 1);  // (words + 1, S)
    const std::vector<std::string> words = model.source.words(ids);
    std::vector<WordNeed> needs;
    for (std::size_t s = 0; s < ids.size(); ++s) {
        needs.push_back({words[s], static_cast<double>(share(ids.size(), s)),
                         log_probability(ids.size()) - log_probability(s)});
    }
    return needs;
}

}  // namespace bert
