// What the two tasks teach, on texts so small that they are learned in a second.
#include <span>
#include <string>
#include <vector>

#include "ch13_bert_input/encoding.hpp"
#include "ch14_bert/guesses.hpp"
#include "ch15_pretraining/masking.hpp"
#include "ch15_pretraining/pretraining_step.hpp"
#include "common/autograd/tape.hpp"
#include "tests/ch15_pretraining/small_bert.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

Tokenizer cat_tokenizer() {
    return Tokenizer{WordPieceVocabulary{
        {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "mat", "."}}};
}

PretrainingExample example_of(const Tokenizer& tokenizer, const char* first, const char* second) {
    const Encoding encoding = encode(tokenizer, first, second);
    PretrainingExample example;
    for (const std::int64_t id : encoding.input_ids)
        example.tokens.push_back(static_cast<TokenId>(id));
    for (const std::int64_t type : encoding.token_type_ids)
        example.first_length += type == 0 ? 1 : 0;
    return example;
}

// A of one topic, B of the same or of another: each topic has 16 tokens of its own.
std::vector<PretrainingExample> topics(Random& random, std::size_t count) {
    std::vector<PretrainingExample> examples = random_examples(random, count, 12, 1, 37);
    for (PretrainingExample& example : examples) {
        const std::uint64_t topic = random.below(2);
        example.is_random_next = random.below(2) == 1;
        for (std::size_t t = 0; t < example.tokens.size(); ++t) {
            if (example.tokens[t] < 5) continue;
            const bool in_b = t >= example.first_length;
            const std::uint64_t of = in_b && example.is_random_next ? 1 - topic : topic;
            example.tokens[t] = static_cast<TokenId>(5 + 16 * of + random.below(16));
        }
    }
    return examples;
}

}  // namespace

TEST_CASE("N54: a model that has read the cat sat on the mat restores the cat", "[ch15]") {
    const Tokenizer tokenizer = cat_tokenizer();
    const PretrainingOptions options{
        .steps = 120, .batch_size = 8, .learning_rate = 5e-3, .warmup = 10};
    BertConfig config = small_config();
    config.vocab_size = tokenizer.vocabulary().size();
    PretrainingState state = start_pretraining(config, options);
    const MaskingVocabulary vocabulary = masking_vocabulary(tokenizer);
    Random random{1};
    const PretrainingExample whole = example_of(tokenizer, "the cat sat on the mat", ".");
    while (state.step < options.steps) {
        std::vector<PretrainingExample> examples(8, whole);
        for (PretrainingExample& example : examples)
            choose_predictions(example, vocabulary, {.mask_prob = 0.2}, random);
        const PretrainingBatch batch = make_pretraining_batch(examples, 0);
        pretraining_step(state, {&batch, 1}, options);
    }
    const PretrainedBert model{state.bert, tokenizer};
    const auto guesses = fill_masks(model, "the [MASK] sat on the mat", 2);
    CHECK(tokenizer.vocabulary().token(guesses.at(0).at(0).token) == "cat");
    CHECK(guesses[0][0].probability > 0.8);
}

TEST_CASE("N55: next sentences are told apart as often as the documents say where topics differ",
          "[ch15]") {
    const PretrainingOptions options{
        .steps = 600, .batch_size = 32, .learning_rate = 2e-3, .warmup = 60};
    BertConfig config = without_dropout(small_config());
    config.hidden_size = 32;
    config.intermediate_size = 64;
    config.initializer_range = 0.1;
    PretrainingState state = start_pretraining(config, options);
    Random random{2};
    while (state.step < options.steps) {
        const PretrainingBatch batch = make_pretraining_batch(topics(random, 32), 0);
        pretraining_step(state, {&batch, 1}, options);
    }
    const NoGradient no_gradient;
    const PretrainingBatch unseen = make_pretraining_batch(topics(random, 500), 0);
    const PretrainingCounts counts = pretraining_loss(state.bert, unseen).counts;
    CHECK(static_cast<double>(counts.nsp_right) / 500.0 >= 0.97);
}
