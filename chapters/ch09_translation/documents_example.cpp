#include "ch09_translation/documents_example.hpp"

#include <algorithm>
#include <cmath>

#include "ch03_masks/masks.hpp"
#include "ch09_translation/decoding.hpp"
#include "ch09_translation/training_data.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

std::vector<SentencePair> documents_pairs() {
    return {{"je suis etudiant", "i am a student"}, {"merci", "thanks"}};
}

DocumentsExample train_documents_example(std::uint64_t seed) {
    const TrainingData data = prepare({documents_pairs(), {}, {}}, 8);
    const TrainingOptions options{.steps = 60,
                                  .batch_size = 2,
                                  .learning_rate = 5e-3,
                                  .warmup = 10,
                                  .label_smoothing = 0.0,
                                  .dropout = 0.0,
                                  .seed = seed};
    const TransformerSize size{
        .source_words = data.source.size(),
        .target_words = data.target.size(),
        .max_length = 8,
        .layers = {.num_layers = 1, .width = 32, .num_heads = 4, .inner_width = 64}};
    TrainingState state = start_training(size, options);
    const TrainingBatch batch = make_training_batch(data.train);
    std::vector<double> losses;
    while (state.step < options.steps)
        losses.push_back(train_step(state, batch, options).loss);
    return {{std::move(state.model), data.source, data.target}, std::move(losses)};
}

std::vector<SpokenWord> speak(const TranslationModel& model, const std::string& sentence,
                              std::size_t max_tokens) {
    const Transformer& transformer = model.transformer;
    require_max_tokens("speak", transformer, max_tokens);
    const NoGradient no_gradient;
    const TokenIds ids = source_ids(model.source, sentence, transformer.positions.dim(0));
    const TokenBatch source = pad_sentences({ids});
    DecoderCache cache = start_cache(transformer.decoder, transformer.encode(source),
                                     padding_mask(source.attention_mask));
    std::vector<SpokenWord> words;
    std::int64_t last = start_id;
    while (last != end_id && words.size() < max_tokens) {
        const Tensor log_p = next_log_probabilities(transformer, {last}, cache);
        SpokenWord word{model.target.words({last})[0], "", {}};
        for (const Real value : log_p.values())
            word.probabilities.push_back(std::exp(static_cast<double>(value)));
        last = std::max_element(word.probabilities.begin(), word.probabilities.end()) -
               word.probabilities.begin();
        word.said = model.target.words({last})[0];
        words.push_back(std::move(word));
    }
    return words;
}

}  // namespace bert
