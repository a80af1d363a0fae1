#include "ch09_translation/evaluation.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "ch03_masks/masks.hpp"
#include "ch09_translation/decoding.hpp"
#include "ch09_translation/parallel_text.hpp"
#include "ch09_translation/training_data.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

namespace {

std::size_t most_tokens(const TranslationModel& model) {
    return model.transformer.positions.dim(0) - 1;
}

std::int64_t most_probable(std::span<const Real> row) {
    return std::max_element(row.begin(), row.end()) - row.begin();
}

PairIds ids_of(const TranslationModel& model, const SentencePair& pair) {
    return {source_ids(model.source, pair.source, model.transformer.positions.dim(0)),
            model.target.ids(words_of(pair.target))};
}

// The part of the labels that the model finds most probable.
double accuracy(const Transformer& model, const TrainingBatch& batch) {
    const Tensor logits = model.logits(batch.source, batch.input);
    std::size_t right = 0;
    std::size_t all = 0;
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        if (batch.labels[i] == pad_id) continue;
        right += most_probable(logits.row(i)) == batch.labels[i] ? 1 : 0;
        ++all;
    }
    return static_cast<double>(right) / static_cast<double>(all);
}

}  // namespace

Evaluation evaluate(const TranslationModel& model, const std::vector<SentencePair>& pairs) {
    if (pairs.empty()) throw std::invalid_argument{"evaluate: no pairs"};
    std::vector<TokenIds> sources;
    for (const SentencePair& pair : pairs)
        sources.push_back(
            source_ids(model.source, pair.source, model.transformer.positions.dim(0)));
    Evaluation result;
    std::vector<std::vector<std::string>> candidates;
    std::vector<std::vector<std::string>> references;
    for (const Translation& one : greedy(model.transformer, sources, most_tokens(model))) {
        const SentencePair& pair = pairs[candidates.size()];
        candidates.push_back(model.target.words(one.tokens));
        references.push_back(words_of(pair.target));
        result.translations.push_back(text_of(model.target, one.tokens));
        result.exact += candidates.back() == references.back() ? 1 : 0;
    }
    result.bleu = corpus_bleu(candidates, references);
    return result;
}

std::string translate(const TranslationModel& model, const std::string& sentence) {
    const TokenIds ids = source_ids(model.source, sentence, model.transformer.positions.dim(0));
    return text_of(model.target, greedy(model.transformer, {ids}, most_tokens(model))[0].tokens);
}

std::string go_on_after(const TranslationModel& model, const std::string& sentence,
                        const std::string& beginning) {
    const Transformer& transformer = model.transformer;
    const NoGradient no_gradient;
    const TokenBatch source =
        pad_sentences({source_ids(model.source, sentence, transformer.positions.dim(0))});
    TokenIds said = model.target.ids(words_of(beginning));
    said.insert(said.begin(), start_id);
    DecoderCache cache = start_cache(transformer.decoder, transformer.encode(source),
                                     padding_mask(source.attention_mask));
    for (std::size_t t = 0; t < said.size() && said.size() <= most_tokens(model); ++t) {
        const Tensor log_p = next_log_probabilities(transformer, {said[t]}, cache);
        if (t + 1 < said.size()) continue;  // what comes next is given
        const std::int64_t next = most_probable(log_p.row(0));
        if (next != end_id) said.push_back(next);
    }
    said.erase(said.begin());
    return text_of(model.target, said);
}

ForcedAccuracy forced_accuracy(const TranslationModel& model,
                               const std::vector<SentencePair>& pairs, std::size_t every) {
    const NoGradient no_gradient;
    std::vector<PairIds> ids;
    for (const SentencePair& pair : pairs)
        ids.push_back(ids_of(model, pair));
    TrainingBatch batch = make_training_batch(ids);
    ForcedAccuracy result;
    result.right_words_read = accuracy(model.transformer, batch);
    Random random{9};
    for (std::size_t i = 0; i < batch.input.ids.size(); ++i) {
        std::int64_t& id = batch.input.ids[i];
        if (id <= end_id || i % every != every - 1) continue;
        id = end_id + 1 + static_cast<std::int64_t>(random.below(model.target.size() - 3));
    }
    result.wrong_words_read = accuracy(model.transformer, batch);
    return result;
}

}  // namespace bert
