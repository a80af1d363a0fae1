#include "ch09_translation/documents_example.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ch06_learning/expected_curve.hpp"
#include "ch09_translation/decoding.hpp"
#include "ch09_translation/evaluation.hpp"
#include "common/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;

namespace {

const DocumentsExample& example() {
    static const DocumentsExample trained = train_documents_example();
    return trained;
}

}  // namespace

TEST_CASE("N23: a trained model says i am a student word by word until the end", "[ch09]") {
    const std::vector<SpokenWord> words = speak(example().model, "je suis etudiant", 7);
    const std::vector<std::string> expected = {"i", "am", "a", "student", "<end>"};
    REQUIRE(words.size() == expected.size());
    for (std::size_t t = 0; t < words.size(); ++t) {
        CHECK(words[t].said == expected[t]);
        CHECK(words[t].given == (t == 0 ? "<start>" : expected[t - 1]));
        const std::vector<double>& p = words[t].probabilities;
        CHECK(*std::max_element(p.begin(), p.end()) > 0.95);  // smallest seen: 0.994
        CHECK_THAT(std::accumulate(p.begin(), p.end(), 0.0), WithinAbs(1.0, 1e-6));  // 2e-7
    }
}

TEST_CASE("N23: all words at once give the probabilities of one word at a time", "[ch09]") {
    const TranslationModel& model = example().model;
    const TokenIds words = model.target.ids({"i", "am", "a", "student"});
    TokenIds source = model.source.ids({"je", "suis", "etudiant"});
    source.push_back(end_id);
    const TrainingBatch batch = make_training_batch({{source, words}});
    const Tensor logits = model.transformer.logits(batch.source, batch.input);
    Tensor parallel(Shape{5, model.target.size()});
    Tensor in_steps = parallel;
    const std::vector<SpokenWord> spoken = speak(model, "je suis etudiant", 7);
    for (std::size_t t = 0; t < 5; ++t) {
        for (std::size_t v = 0; v < model.target.size(); ++v) {
            in_steps(t, v) = static_cast<Real>(spoken[t].probabilities[v]);
            double sum = 0.0;
            for (std::size_t u = 0; u < model.target.size(); ++u)
                sum += std::exp(static_cast<double>(logits(0, t, u) - logits(0, t, v)));
            parallel(t, v) = static_cast<Real>(1.0 / sum);
        }
    }
    test::check_close("N23 probabilities", in_steps, parallel, 1e-6);  // largest error seen: 2.4e-7
}

TEST_CASE("N24: je suis etudiant becomes i am a student with six tokens to say", "[ch09]") {
    const TranslationModel& model = example().model;
    CHECK(translate(model, "je suis etudiant") == "i am a student");
    CHECK(translate(model, "merci") == "thanks");
    CHECK(model.target.tokens() == std::vector<std::string>{"<pad>", "<start>", "<end>", "a", "am",
                                                            "i", "student", "thanks"});
}

TEST_CASE("documents_example: its loss is inside the band that the project keeps", "[ch09]") {
    const auto findings = compare_with_curve(project_curve("documents_example"), example().losses);
    CHECK(findings.size() >= 5);
    for (const CurveFinding& finding : findings)
        CHECK(finding.is_inside());
}

TEST_CASE("speak: an unknown word and no words are refused", "[ch09]") {
    CHECK_THROWS_AS(speak(example().model, "je suis medecin", 7), UsageError);
    CHECK_THROWS_WITH(speak(example().model, "je suis medecin", 7), ContainsSubstring("medecin"));
    CHECK_THROWS_AS(speak(example().model, "  ", 7), UsageError);
    CHECK_THROWS_AS(speak(example().model, "merci", 0), std::invalid_argument);
    CHECK(speak(example().model, "je suis etudiant", 2).size() == 2);
}
