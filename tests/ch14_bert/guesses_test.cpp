#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ch14_bert/guesses.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using Catch::Matchers::WithinAbs;

namespace {

Tokenizer small_tokenizer() {
    return Tokenizer{WordPieceVocabulary{
        {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "##s"}}};
}

// Heads that say the same whatever they see: token v has the logit v / 4.
Bert stubborn_bert(const BertParts& parts = {}) {
    Random random{3};
    BertConfig config;
    config.vocab_size = 9;
    config.hidden_size = 8;
    config.num_hidden_layers = 1;
    config.num_attention_heads = 2;
    config.intermediate_size = 8;
    config.max_position_embeddings = 10;
    Bert bert = random_bert(random, config, parts);
    if (bert.predictions) {
        bert.predictions->norm.weight = Tensor(Shape{8});
        for (std::size_t v = 0; v < 9; ++v)
            bert.predictions->bias(v) = static_cast<Real>(v) / 4;
    }
    if (bert.seq_relationship) {
        bert.seq_relationship->weight = Tensor(Shape{2, 8});
        bert.seq_relationship->bias = Tensor{1, 2};
    }
    return bert;
}

}  // namespace

TEST_CASE("largest_entries: in their order and of equal ones the first", "[ch14]") {
    const std::vector<Real> row = {3, 7, 7, 1, 9};
    using Numbers = std::vector<std::size_t>;
    CHECK(largest_entries(row, 3) == Numbers{4, 1, 2});
    CHECK(largest_entries(row, 0) == Numbers{});
    CHECK(largest_entries(row, 9) == Numbers{4, 1, 2, 0, 3});
}

TEST_CASE("fill_masks: the most probable tokens of every mask", "[ch14]") {
    const PretrainedBert model{stubborn_bert(), small_tokenizer()};
    const auto guesses = fill_masks(model, "the [MASK] sat [MASK]", 2);
    REQUIRE(guesses.size() == 2);
    double sum = 0.0;
    for (int v = 0; v < 9; ++v)
        sum += std::exp(v / 4.0);
    for (const std::vector<Guess>& of_mask : guesses) {
        REQUIRE(of_mask.size() == 2);
        CHECK(of_mask[0].token == 8);
        CHECK_THAT(of_mask[0].probability, WithinAbs(std::exp(2.0) / sum, 1e-6));
        CHECK(of_mask[1].token == 7);
        CHECK_THAT(of_mask[1].probability, WithinAbs(std::exp(1.75) / sum, 1e-6));
    }
    CHECK(fill_masks(model, "the cat", 2).empty());
    const PretrainedBert headless{stubborn_bert({.predictions = false}), small_tokenizer()};
    CHECK_THROWS_AS(fill_masks(headless, "[MASK]", 1), std::logic_error);
}

TEST_CASE("fill_masks: looks at the place of the mask", "[ch14]") {
    Random random{5};
    Bert bert = stubborn_bert();
    bert.predictions->norm.weight = Tensor(Shape{8}, std::vector<Real>(8, 1));
    const PretrainedBert model{std::move(bert), small_tokenizer()};
    const BertInput input = model.encode("the [MASK] sat");
    const Tensor logits = model.bert().prediction_logits(model(input).last_hidden_state);
    const auto row = logits.row(2);  // [CLS] the [MASK]
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    CHECK(fill_masks(model, "the [MASK] sat", 1)[0][0].token == best);
}

TEST_CASE("probability_of_next: of label 0 and of this pair", "[ch14]") {
    const PretrainedBert model{stubborn_bert(), small_tokenizer()};
    CHECK_THAT(probability_of_next(model, "the cat", "sat"),
               WithinAbs(1.0 / (1.0 + std::exp(1.0)), 1e-6));
    const PretrainedBert headless{stubborn_bert({.seq_relationship = false}), small_tokenizer()};
    CHECK_THROWS_AS(probability_of_next(headless, "the", "cat"), std::logic_error);
}
