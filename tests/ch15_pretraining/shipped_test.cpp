#include <array>
#include <string>

#include "ch14_bert/guesses.hpp"
#include "ch15_pretraining/recipe.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

const PretrainedBert& shipped() {
    static const PretrainedBert model = shipped_bert();
    return model;
}

}  // namespace

TEST_CASE("N54: the model that comes with the project fills the cat on the mat with a word",
          "[ch15]") {
    const auto guesses = fill_masks(shipped(), "the [MASK] sat on the mat", 5);
    REQUIRE(guesses.size() == 1);
    REQUIRE(guesses[0].size() == 5);
    double before = 1.0;
    for (const Guess& guess : guesses[0]) {
        const std::string& token = shipped().tokenizer().vocabulary().token(guess.token);
        INFO(token);
        CHECK_FALSE(shipped().tokenizer().is_special(guess.token));
        CHECK_FALSE(token.starts_with("##"));
        CHECK(token[0] >= 'a');
        CHECK(guess.probability <= before);
        before = guess.probability;
    }
}

TEST_CASE("N55: next sentences and tokens of a novel that the model never saw", "[ch15]") {
    if constexpr (sizeof(Real) == sizeof(double)) return;  // minutes
    const PretrainingEvaluation found = evaluate_held_out(shipped());
    CHECK(found.examples > 1000);
    CHECK(found.tokens > 10000);
    CHECK(found.mlm_accuracy >= 2.0 * found.majority_mlm);
    CHECK(found.nsp_accuracy > found.majority_nsp);
    CHECK(found.majority_nsp < 0.55);
}

TEST_CASE("recipe_corpus: chapters of five novels without one of twenty", "[ch15]") {
    const RecipeCorpus corpus = recipe_corpus();
    CHECK(corpus.train.size() + corpus.validation.size() == 55 + 48 + 32 + 61 + 50);
    CHECK(corpus.validation.size() == 12);
    CHECK(held_out_documents().size() == 24);
    for (const Documents& documents : {corpus.train, corpus.validation})
        for (const auto& sentences : documents)
            for (const std::string& sentence : sentences)
                CHECK(sentence.find("Wentworth") == std::string::npos);
}
