#include "ch09_translation/vocabulary.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Lines = std::vector<std::string>;

// dog 3 times, the twice, and the others once.
Vocabulary animals() {
    return Vocabulary::of_sentences({"the dog sees the dog", "a cat dog"});
}

}  // namespace

TEST_CASE("Vocabulary: special tokens then words by frequency then bytes", "[ch09]") {
    CHECK(animals().tokens() ==
          Lines{"<pad>", "<start>", "<end>", "dog", "the", "a", "cat", "sees"});
    CHECK(animals().size() == 8);
    CHECK(Vocabulary::of_sentences({"étudiant z"}).tokens()[3] == "z");
    CHECK(animals().tokens()[pad_id] == "<pad>");
    CHECK(animals().tokens()[start_id] == "<start>");
    CHECK(animals().tokens()[end_id] == "<end>");
}

TEST_CASE("Vocabulary: words to numbers and back", "[ch09]") {
    const Vocabulary vocabulary = animals();
    CHECK(vocabulary.ids({"a", "dog", "sees", "the", "cat"}) ==
          std::vector<std::int64_t>{5, 3, 7, 4, 6});
    CHECK(vocabulary.words({5, 3, 7, 4, 6}) == Lines{"a", "dog", "sees", "the", "cat"});
    CHECK(vocabulary.words({1, 2, 0}) == Lines{"<start>", "<end>", "<pad>"});
    CHECK(vocabulary.ids({}).empty());
    CHECK(vocabulary.words({}).empty());
}

TEST_CASE("Vocabulary: comes back from its tokens", "[ch09]") {
    const Vocabulary restored{animals().tokens()};
    CHECK(restored.tokens() == animals().tokens());
    CHECK(restored.ids({"sees"}) == std::vector<std::int64_t>{7});
}

TEST_CASE("Vocabulary: an unknown word is refused with the nearest known one", "[ch09]") {
    CHECK_THROWS_AS(animals().ids({"dog", "seex"}), UsageError);
    CHECK_THROWS_WITH(animals().ids({"dog", "seex"}),
                      ContainsSubstring("the word \"seex\" is unknown to the vocabulary (expected "
                                        "for example \"sees\")"));
    CHECK_THROWS_WITH(animals().ids({"zebra"}),
                      ContainsSubstring("unknown to the vocabulary (expected one of "
                                        "the 5 words in it, none of which is similar)"));
    CHECK_THROWS_WITH(animals().ids({"<ped>"}), ContainsSubstring("one of the 5 words in it"));
    CHECK_THROWS_WITH(animals().ids({"a\x1b"}), ContainsSubstring("\"a\\x1b\""));
    CHECK_THROWS_AS(animals().ids({""}), UsageError);
}

TEST_CASE("Vocabulary: special tokens in a text are refused", "[ch09]") {
    for (const std::string special : {"<pad>", "<start>", "<end>"}) {
        CHECK_THROWS_AS(animals().ids({special}), UsageError);
        CHECK_THROWS_WITH(animals().ids({special}),
                          ContainsSubstring("\"" + special + "\" is a special token"));
        CHECK_THROWS_WITH(Vocabulary::of_sentences({"the " + special}),
                          ContainsSubstring("is a special token"));
        CHECK_THROWS_WITH(animals().ids_of_file("f", {special}), ContainsSubstring("f: line 1: "));
    }
}

TEST_CASE("Vocabulary: a word of a file is refused with its line", "[ch09]") {
    const Vocabulary vocabulary = animals();
    CHECK(vocabulary.ids_of_file("f", {"a dog", "the  cat"}) ==
          std::vector<std::vector<std::int64_t>>{{5, 3}, {4, 6}});
    CHECK_THROWS_AS(vocabulary.ids_of_file("en.txt", {"a dog", "the cow"}), FileError);
    CHECK_THROWS_WITH(vocabulary.ids_of_file("en.txt", {"a dog", "the catt"}),
                      ContainsSubstring("en.txt: line 2: a word that is unknown to the vocabulary "
                                        "(found \"catt\", expected for example \"cat\")"));
}

TEST_CASE("Vocabulary: numbers of no word are refused", "[ch09]") {
    CHECK_THROWS_AS(animals().words({8}), std::invalid_argument);
    CHECK_THROWS_WITH(animals().words({3, 8}),
                      ContainsSubstring("no word has the number 8 (expected 0 to 7)"));
    CHECK_THROWS_WITH(animals().words({-1}), ContainsSubstring("no word has the number -1"));
}

TEST_CASE("Vocabulary: texts without words are refused", "[ch09]") {
    CHECK_THROWS_AS(Vocabulary::of_sentences({}), std::invalid_argument);
    CHECK_THROWS_WITH(Vocabulary::of_sentences({"", " "}), ContainsSubstring("no words"));
}

TEST_CASE("Vocabulary: tokens that make none are refused", "[ch09]") {
    const auto refused = [](const Lines& more, const std::string& message) {
        Lines tokens = {"<pad>", "<start>", "<end>"};
        tokens.insert(tokens.end(), more.begin(), more.end());
        CHECK_THROWS_AS(Vocabulary{tokens}, std::invalid_argument);
        CHECK_THROWS_WITH(Vocabulary{tokens}, ContainsSubstring(message));
    };
    refused({"a", "b", "a"}, "\"a\" is there twice");
    refused({"<end>"}, "\"<end>\" is there twice");
    refused({""}, "\"\" is not a word");
    refused({"a b"}, "\"a b\" is not a word");
    refused({" a"}, "\" a\" is not a word");
    refused({"a\xFF"}, "is not a word");
    refused({std::string(most_word_bytes + 1, 'a')},
            "a word of 1001 bytes (expected at most 1000)");
    CHECK_NOTHROW(Vocabulary{{"<pad>", "<start>", "<end>", std::string(most_word_bytes, 'a')}});
    CHECK_NOTHROW(Vocabulary{{"<pad>", "<start>", "<end>"}});
    CHECK_THROWS_WITH((Vocabulary{{"<start>", "<pad>", "<end>", "a"}}),
                      ContainsSubstring("does not start with <pad>"));
    CHECK_THROWS_WITH((Vocabulary{Lines{"<pad>", "<start>"}}), ContainsSubstring("does not start"));
}

TEST_CASE("Vocabulary: more than 100000 words are refused", "[ch09]") {
    std::string text;
    for (std::size_t i = 0; i < most_words; ++i)
        text += "w" + std::to_string(i) + " ";
    CHECK(Vocabulary::of_sentences({text}).size() == most_words + 3);
    CHECK_THROWS_AS(Vocabulary::of_sentences({text, "x"}), UsageError);
    CHECK_THROWS_WITH(Vocabulary::of_sentences({text, "x"}),
                      ContainsSubstring("100001 different words (expected at most 100000)"));
}
