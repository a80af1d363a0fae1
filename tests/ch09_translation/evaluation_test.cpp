// The model that comes with the project, on sentences that it has never seen.
#include "ch09_translation/evaluation.hpp"

#include "ch09_translation/parallel_text.hpp"
#include "ch09_translation/tasks.hpp"
#include "ch09_translation/training_data.hpp"
#include "ch09_translation/translation_pictures.hpp"
#include "common/cli/program.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;

namespace {

const TranslationModel& shipped() {
    static const TranslationModel model = model_for("");
    return model;
}

const CorpusSplit& corpus() {
    static const CorpusSplit split = grammar_corpus();
    return split;
}

std::vector<SentencePair> first_held_out(std::size_t count) {
    return {corpus().held_out.begin(),
            corpus().held_out.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

TEST_CASE("evaluate: the shipped model reaches BLEU 95 on held-out sentences", "[ch09]") {
    // All 1000 in the build for use; the double build computes products in plain loops.
    const std::size_t count = sizeof(Real) == sizeof(float) ? 1000 : 50;
    const Evaluation evaluation = evaluate(shipped(), first_held_out(count));
    CHECK(evaluation.bleu.score >= 95.0);  // 99.94 on one machine
    CHECK(evaluation.exact >= count * 95 / 100);
    CHECK(evaluation.translations.size() == count);
}

TEST_CASE("evaluate: the shipped model has the vocabularies of the corpus", "[ch09]") {
    const TrainingData data = prepare(corpus(), 32);
    CHECK(shipped().source.tokens() == data.source.tokens());
    CHECK(shipped().target.tokens() == data.target.tokens());
}

TEST_CASE("translate: agreement and order of the shipped model", "[ch09]") {
    CHECK(translate(shipped(), "je suis étudiant") == "i am a student");
    CHECK(translate(shipped(), "je ne vois pas le chat noir") == "i do not see the black cat");
    CHECK(translate(shipped(), "elle les aime") == "she loves them");
    CHECK_THROWS_AS(translate(shipped(), "je suis zèbre"), UsageError);
    CHECK_THROWS_AS(translate(shipped(), ""), UsageError);
    std::string long_sentence = "le chat";
    for (int i = 0; i < 40; ++i)
        long_sentence += " noir";
    CHECK_THROWS_AS(translate(shipped(), long_sentence), ShapeError);
}

TEST_CASE("evaluate: counts exact translations and refuses no pairs", "[ch09]") {
    const std::vector<SentencePair> pairs = {{"je suis étudiant", "i am a student"},
                                             {"elle les aime", "she loves it"}};
    CHECK(evaluate(shipped(), pairs).exact == 1);
    CHECK_THROWS_AS(evaluate(shipped(), {}), std::invalid_argument);
}

TEST_CASE("go_on_after: keeps the beginning and goes on from it", "[ch09]") {
    CHECK(go_on_after(shipped(), "elle les aime", "") == "she loves them");
    CHECK(go_on_after(shipped(), "elle les aime", "she loves them") == "she loves them");
    CHECK(go_on_after(shipped(), "elle les aime", "the dog").starts_with("the dog"));
    CHECK_THROWS_AS(go_on_after(shipped(), "elle les aime", "xyz"), UsageError);
}

TEST_CASE("forced_accuracy: wrong words read make the next word worse", "[ch09]") {
    const ForcedAccuracy accuracy = forced_accuracy(shipped(), first_held_out(40), 3);
    CHECK(accuracy.right_words_read > 0.95);
    CHECK(accuracy.wrong_words_read < accuracy.right_words_read - 0.05);
    const ForcedAccuracy none = forced_accuracy(shipped(), first_held_out(40), 1000000);
    CHECK(none.right_words_read == none.wrong_words_read);
}

TEST_CASE("translation_maps: cross-attention shows the exchanged words", "[ch09]") {
    const TranslationMaps maps = translation_maps(shipped(), "je vois le chat noir");
    REQUIRE(maps.translation == "i see the black cat");
    for (const AttentionDump* dump : {&maps.encoder, &maps.decoder, &maps.cross})
        validate(*dump);
    REQUIRE(maps.cross.attentions.shape() == Shape{2, 1, 4, 6, 6});
    const Heatmap cross = mean_over_heads(maps.cross, 1, "");
    REQUIRE(cross.row_names[3] == "black");
    REQUIRE(cross.column_names[4] == "noir");
    CHECK(cross.values(3, 4) > 0.5);  // black looks at noir, its right neighbour in French
    CHECK(cross.values(4, 3) > 0.5);  // cat at chat
    CHECK(max(cross.values, 1).size() == 6);
}

TEST_CASE("translation_maps: the decoder's maps are causal", "[ch09]") {
    const TranslationMaps maps = translation_maps(shipped(), "je vois le chat noir");
    for (std::size_t t = 0; t < 6; ++t) {
        for (std::size_t s = t + 1; s < 6; ++s)
            CHECK(maps.decoder.attentions(1, 0, 2, t, s) == 0);
    }
    CHECK(maps.decoder.source_tokens[0][0] == "<start>");
    CHECK(maps.decoder.tokens[0].back() == "<end>");
}

TEST_CASE("loss_chart: means over the window", "[ch09]") {
    const std::vector<StepReport> log = {{1, 4.0, 0, 0}, {2, 2.0, 0, 0}, {3, 6.0, 0, 0}};
    CHECK(loss_chart(log, 2).series[0].y == std::vector<double>{4.0, 3.0, 4.0});
    CHECK(loss_chart(log, 2).series[0].x == std::vector<double>{1, 2, 3});
}
