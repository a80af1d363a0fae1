#include "ch15_pretraining/recipe.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace bert;

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
