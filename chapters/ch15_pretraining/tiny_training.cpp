#include "ch15_pretraining/tiny_training.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "ch12_wordpiece/vocabulary_trainer.hpp"
#include "ch12_wordpiece/word_counts.hpp"
#include "ch15_pretraining/corpus.hpp"
#include "ch15_pretraining/example_maker.hpp"
#include "common/autograd/tape.hpp"
#include "common/io/data_file.hpp"
#include "common/io/scratch_file.hpp"

namespace bert {

namespace {

constexpr std::size_t tiny_vocabulary = 1200;
constexpr std::size_t tiny_length = 48;
constexpr std::uint64_t replacement_stream = 8;

std::vector<PretrainingExample> examples_of(const TokenCorpus& corpus, const Tokenizer& tokenizer,
                                            std::size_t first_document, std::size_t end_document,
                                            std::size_t duplicates) {
    const MaskingVocabulary vocabulary = masking_vocabulary(tokenizer);
    std::vector<PretrainingExample> examples;
    for (std::size_t d = 0; d < duplicates; ++d) {
        for (std::size_t document = first_document; document < end_document; ++document) {
            Random random{15, d * corpus.documents() + document};
            make_pairs(corpus, document, tokenizer.special(), {.max_length = tiny_length}, random,
                       [&](PretrainingExample&& example) {
                           choose_predictions(example, vocabulary, {}, random);
                           examples.push_back(std::move(example));
                           return true;
                       });
        }
    }
    return examples;
}

TokenId other_token(const Tokenizer& tokenizer, TokenId token, Random& random) {
    const auto words = static_cast<std::uint64_t>(tokenizer.vocabulary().size());
    for (;;) {
        const auto other = static_cast<TokenId>(random.below(words));
        if (other != token && !tokenizer.is_special(other)) return other;
    }
}

PretrainingBatch batch_of(const TinyCorpus& corpus, std::span<const PretrainingExample> examples,
                          Replacement replacement, Random& random) {
    std::vector<PretrainingExample> shown;
    for (const PretrainingExample& example : examples)
        shown.push_back(with_replacements(example, replacement, corpus.tokenizer, random));
    return make_pretraining_batch(shown, corpus.tokenizer.special().pad);
}

}  // namespace

TinyCorpus tiny_corpus() {
    const std::string path = data_file("corpora/excerpt.txt");
    const WordCounts words = count_words({path}, {}).words;
    Tokenizer tokenizer{
        WordPieceVocabulary{train_wordpiece(words, {.size = tiny_vocabulary}).tokens}};
    const CorpusText text = read_corpus({path}, tokenizer, scratch_folder_beside(""));
    const std::size_t last = text.corpus.documents() - 1;
    TinyCorpus corpus{std::move(tokenizer), {}, {}};
    corpus.train = examples_of(text.corpus, corpus.tokenizer, 0, last, 10);
    corpus.held_out = examples_of(text.corpus, corpus.tokenizer, last, last + 1, 2);
    return corpus;
}

PretrainingExample with_replacements(PretrainingExample example, Replacement replacement,
                                     const Tokenizer& tokenizer, Random& random) {
    for (std::size_t i = 0; i < example.positions.size(); ++i) {
        const TokenId token = example.tokens[example.positions[i]];
        if (replacement == Replacement::always_mask)
            example.replacements[i] = tokenizer.special().mask;
        else if (replacement == Replacement::itself)
            example.replacements[i] = token;
        else if (replacement == Replacement::random)
            example.replacements[i] = other_token(tokenizer, token, random);
    }
    return example;
}

BertConfig tiny_config(const TinyCorpus& corpus) {
    BertConfig config;
    config.vocab_size = corpus.tokenizer.vocabulary().size();
    config.hidden_size = 64;
    config.num_hidden_layers = 2;
    config.num_attention_heads = 2;
    config.intermediate_size = 256;
    config.max_position_embeddings = tiny_length;
    return config;
}

PretrainingOptions tiny_options() {
    return {.steps = 300, .batch_size = 16, .learning_rate = 2e-3, .warmup = 30, .seed = 15};
}

TinyTraining train_tiny(const TinyCorpus& corpus, Replacement replacement) {
    const PretrainingOptions options = tiny_options();
    PretrainingState state = start_pretraining(tiny_config(corpus), options);
    Random random{options.seed, replacement_stream};
    std::vector<PretrainingExample> examples = corpus.train;
    random.shuffle(std::span{examples});
    TinyTraining training;
    while (state.step < options.steps) {
        const std::size_t begin = static_cast<std::size_t>(state.step) * options.batch_size %
                                  (examples.size() - options.batch_size);
        const PretrainingBatch batch = batch_of(
            corpus, std::span{examples}.subspan(begin, options.batch_size), replacement, random);
        training.losses.push_back(pretraining_step(state, {&batch, 1}, options).counts.mean_loss());
    }
    training.bert = std::move(state.bert);
    return training;
}

PretrainingCounts evaluate_tiny(const Bert& bert, const TinyCorpus& corpus,
                                Replacement replacement) {
    const NoGradient no_gradient;
    Random random{1, replacement_stream};
    return pretraining_loss(bert, batch_of(corpus, corpus.held_out, replacement, random)).counts;
}

}  // namespace bert
