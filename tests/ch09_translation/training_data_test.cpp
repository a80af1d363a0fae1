#include "ch09_translation/training_data.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

const std::vector<SentencePair> pairs{{"je suis là", "i am here"}, {"tu es là", "you are here"}};

}  // namespace

TEST_CASE("prepare: sentences become numbers and the end of the source", "[ch09]") {
    const TrainingData data =
        prepare({pairs, {{"il dort", "he sleeps"}}, {{"je dors", "i sleep"}}}, 9);
    REQUIRE(data.train.size() == 2);
    CHECK(data.train[0].source.back() == end_id);
    CHECK(data.source.words(data.train[0].source) ==
          std::vector<std::string>{"je", "suis", "là", "<end>"});
    CHECK(data.target.words(data.train[1].target) ==
          std::vector<std::string>{"you", "are", "here"});
    CHECK(data.held_out.size() == 1);
    CHECK(data.source.size() == 3 + 8);  // the words of all parts
    CHECK(text_of(data.target, data.train[0].target) == "i am here");
    CHECK(text_of(data.target, {}).empty());
}

TEST_CASE("prepare: the fingerprint is that of all sentences in their order", "[ch09]") {
    const std::string one = prepare({pairs, {}, {}}, 9).fingerprint;
    CHECK_THAT(one, ContainsSubstring("2 pairs, "));
    CHECK(prepare({pairs, {}, {}}, 9).fingerprint == one);
    CHECK(prepare({{pairs[1], pairs[0]}, {}, {}}, 9).fingerprint != one);
    CHECK(prepare({{pairs[0], {"tu es là", "you are there"}}, {}, {}}, 9).fingerprint != one);
}

TEST_CASE("prepare: sentences that cannot be trained on are refused", "[ch09]") {
    CHECK_THROWS_AS(prepare({{}, {}, pairs}, 9), std::invalid_argument);
    CHECK_THROWS_WITH(prepare({{}, {}, pairs}, 9), "prepare: no sentences to train on");
    CHECK_NOTHROW(prepare({pairs, {}, {}}, 4));
    CHECK_THROWS_AS(prepare({pairs, {}, {}}, 3), ShapeError);
    CHECK_THROWS_WITH(prepare({pairs, {}, {}}, 3),
                      ContainsSubstring("too long (found 3 words, expected at most 2)"));
    CHECK_THROWS_WITH(prepare({{{"a", "one two three"}}, {}, {}}, 3),
                      "sentence \"one two three\": too long (found 3 words, expected at most 2)");
    CHECK_THROWS_AS(prepare({{{"", "one"}, {"a", "b"}}, {}, {}}, 9), UsageError);
    CHECK_THROWS_AS(prepare({{{"a", " "}, {"a", "b"}}, {}, {}}, 9), UsageError);
    CHECK_THROWS_AS(prepare({{{"a", "<end>"}, {"a", "b"}}, {}, {}}, 9), UsageError);
    CHECK_THROWS_WITH(prepare({{{"a", " "}, {"a", "b"}}, {}, {}}, 9),
                      ContainsSubstring("a sentence without words"));
}

TEST_CASE("source_ids: unknown words and sentences out of range are refused", "[ch09]") {
    const Vocabulary vocabulary = Vocabulary::of_sentences({"je suis là"});
    CHECK(source_ids(vocabulary, "là je", 3) == TokenIds{4, 3, end_id});
    CHECK_THROWS_AS(source_ids(vocabulary, "je dors", 9), UsageError);
    CHECK_THROWS_WITH(
        source_ids(vocabulary, "je sui", 9),
        "the word \"sui\" is unknown to the vocabulary (expected for example \"suis\")");
    CHECK_THROWS_AS(source_ids(vocabulary, "je <pad>", 9), UsageError);
    CHECK_THROWS_AS(source_ids(vocabulary, "", 9), UsageError);
    CHECK_THROWS_AS(source_ids(vocabulary, "  ", 9), UsageError);
    CHECK_THROWS_AS(source_ids(vocabulary, "je je je", 3), ShapeError);
    CHECK_THROWS_WITH(source_ids(vocabulary, "je je je", 3),
                      "sentence \"je je je\": too long (found 3 words, expected at most 2)");
}
