#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ch12_wordpiece/merge.hpp"
#include "ch12_wordpiece/plain_trainer.hpp"
#include "ch12_wordpiece/vocabulary_trainer.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Texts = std::vector<std::string>;

// Places of the pieces: l 7, ##o 7, ##w 5 + 2 + 6 = 13, ##e 2 + 12 + 3 = 17, ##r 2, n 6, w 3, ##i
// 3,
// ##d 3, ##s 9, ##t 9; together 5 * 3 + 2 * 5 + 6 * 6 + 3 * 6 = 79.
WordCounts comparatives() {
    return {{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}};
}

Texts made_by(const std::vector<Merge>& merges) {
    Texts result;
    for (const Merge& merge : merges)
        result.push_back(merged(merge.left, merge.right));
    return result;
}

bool equal(const PairCounts& a, const PairCounts& b) {
    return a.pair == b.pair && a.left == b.left && a.right == b.right && a.total == b.total;
}

}  // namespace

// Step 1: ##s ##t 9 log(9 * 79 / (9 * 9)) = 19.55, before l ##o 7 log(7 * 79 / (7 * 7)) = 16.96.
// Step 2, with N = 79 - 9 = 70: l ##o 7 log(70 / 7) = 16.12, before ##e ##st 9 log(70 / 17)
// = 12.74. Step 3, N = 63: ##e ##st 9 log(63 / 17) = 11.79, before lo ##w 7 log(63 / 13) = 11.05.
// Step 4, N = 54, and ##e stands in 17 - 9 = 8 places: n ##e 6 log(54 / 8) = 11.46, before lo ##w
// 7 log(54 / 13) = 9.97.
TEST_CASE("plain_merges: likelihood gain worked by hand", "[ch12]") {
    const std::vector<Merge> merges = plain_merges(comparatives(), 4);
    CHECK(made_by(merges) == Texts{"##st", "lo", "##est", "ne"});
    CHECK(merges[0].left == "##s");
    CHECK(merges[0].right == "##t");
    CHECK(equal(merges[0].counts, {9, 9, 9, 79}));
    CHECK(equal(merges[1].counts, {7, 7, 7, 70}));
    CHECK(equal(merges[2].counts, {9, 17, 9, 63}));
    CHECK(equal(merges[3].counts, {6, 6, 8, 54}));
    constexpr double tolerance = 1.5e-14;  // largest error seen: 3.6e-15
    CHECK_THAT(merges[0].score, WithinAbs(9 * std::log(79.0 / 9), tolerance));
    CHECK_THAT(merges[1].score, WithinAbs(7 * std::log(10.0), tolerance));
    CHECK_THAT(merges[2].score, WithinAbs(9 * std::log(63.0 / 17), tolerance));
    CHECK_THAT(merges[3].score, WithinAbs(6 * std::log(54.0 / 8), tolerance));
}

// w ##i and ##i ##d both 3 / 9, and "##id" has smaller bytes than "wi"; then w ##id 3 / 9, l ##o
// 7 / 49, ##s ##t 9 / 81.
TEST_CASE("plain_merges: the ratio prefers what is rare", "[ch12]") {
    const std::vector<Merge> merges = plain_merges(comparatives(), 4, MergeScore::ratio);
    CHECK(made_by(merges) == Texts{"##id", "wid", "lo", "##st"});
    CHECK(merges[0].score == 1.0 / 3);
    CHECK(merges[2].score == 7.0 / 49);
    CHECK(merges[3].score == 9.0 / 81);
}

// ##e ##s and ##s ##t stand in 9 places, l ##o and ##o ##w in 7.
TEST_CASE("plain_merges: the count takes the commonest pair", "[ch12]") {
    const std::vector<Merge> merges = plain_merges(comparatives(), 4, MergeScore::count);
    CHECK(made_by(merges) == Texts{"##es", "##est", "##ow", "low"});
    CHECK(merges[0].score == 9);
    CHECK(merges[3].score == 7);
}

TEST_CASE("train_wordpiece: special tokens then characters then merges", "[ch12]") {
    VocabularyTraining options;
    options.size = 5 + 10 + 10 + 4;
    const TrainedVocabulary trained = train_wordpiece(comparatives(), options);
    CHECK(trained.tokens == Texts{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "d",   "e",   "i",
                                  "l",     "n",     "o",     "r",     "s",      "t",   "w",   "##d",
                                  "##e",   "##i",   "##l",   "##n",   "##o",    "##r", "##s", "##t",
                                  "##w",   "##st",  "lo",    "##est", "ne"});
    CHECK(made_by(trained.merges) == Texts{"##st", "lo", "##est", "ne"});
    CHECK(trained.too_long == 0);
    CHECK(trained.rare_characters == 0);
}

TEST_CASE("train_wordpiece: a character that only stands alone does not continue words", "[ch12]") {
    VocabularyTraining options;
    options.special_tokens = {"[UNK]"};
    options.size = 7;
    CHECK(train_wordpiece({{",", 3}, {"7", 1}, {"ab", 2}}, options).tokens ==
          Texts{"[UNK]", ",", "7", "a", "b", "##a", "##b"});
}

TEST_CASE("train_wordpiece: characters are code points and not bytes", "[ch12]") {
    VocabularyTraining options;
    options.special_tokens = {};
    options.size = 9;
    CHECK(train_wordpiece({{"é中😀", 2}}, options).tokens ==
          Texts{"é", "中", "😀", "##é", "##中", "##😀", "##中😀", "é中😀"});
}

TEST_CASE("train_wordpiece: stops early when no pair is frequent enough", "[ch12]") {
    VocabularyTraining options;
    options.size = 1000;
    options.min_frequency = 3;
    const TrainedVocabulary trained = train_wordpiece({{"ab", 3}, {"cd", 2}}, options);
    CHECK(trained.tokens.size() == 5 + 8 + 1);
    CHECK(made_by(trained.merges) == Texts{"ab"});
    options.min_frequency = 0;  // as 1
    CHECK(made_by(train_wordpiece({{"ab", 3}, {"cd", 1}, {"ef", 0}}, options).merges) ==
          Texts{"ab", "cd"});
}

TEST_CASE("train_wordpiece: reports progress", "[ch12]") {
    VocabularyTraining options;
    options.size = 400;
    WordCounts words;
    for (char a = 'a'; a <= 'z'; ++a) {
        for (char b = 'a'; b <= 'j'; ++b)
            words[{a, b}] = 2;
    }
    std::vector<std::pair<std::size_t, std::size_t>> calls;
    Texts notes;
    const auto progress = [&](std::size_t done, std::size_t total, std::string_view note) {
        calls.emplace_back(done, total);
        notes.emplace_back(note);
    };
    // 5 + 26 + 26 are there; of the 260 pairs all are joined.
    const TrainedVocabulary trained = train_wordpiece(words, options, progress);
    CHECK(calls ==
          std::vector<std::pair<std::size_t, std::size_t>>{{157, 400}, {257, 400}, {317, 400}});
    CHECK(notes.back() == trained.tokens.back());
}

TEST_CASE("portable_log: equals the logarithm", "[ch12]") {
    double worst = 0;
    for (double x = 1e-12; x < 1e26; x *= 1.0137) {
        const double expected = std::log(x);
        worst = std::max(worst, std::abs(portable_log(x) - expected) / std::abs(expected));
    }
    CHECK(worst < 1.6e-15);  // largest error seen: 4e-16
    CHECK(portable_log(1) == 0);
    CHECK_THAT(portable_log(1 + 1e-9), WithinAbs(std::log1p(1e-9), 1e-15));
}

TEST_CASE("first_of_equals: smaller bytes and then a shorter left part", "[ch12]") {
    CHECK(first_of_equals("##b", "##a", "a", "##b"));  // ##ba, ab
    CHECK_FALSE(first_of_equals("a", "##b", "##b", "##a"));
    CHECK(first_of_equals("a", "##bc", "ab", "##c"));
    CHECK_FALSE(first_of_equals("ab", "##c", "a", "##bc"));
    CHECK_FALSE(first_of_equals("a", "##b", "a", "##b"));
    CHECK(first_of_equals("z", "##a", "é", "##a"));  // bytes, as if unsigned
}

TEST_CASE("join: from left to right without overlap", "[ch12]") {
    const auto joined = [](Texts pieces) {
        join(pieces, "##a", "##a", "##aa");
        return pieces;
    };
    CHECK(joined({"a", "##a", "##a", "##a"}) == Texts{"a", "##aa", "##a"});
    CHECK(joined({"a", "##a", "##a", "##a", "##a", "##b"}) == Texts{"a", "##aa", "##aa", "##b"});
    CHECK(joined({"a", "##a"}) == Texts{"a", "##a"});
    CHECK(joined({}).empty());
}

TEST_CASE("first_pieces: characters of which all but the first continue", "[ch12]") {
    CHECK(first_pieces("sad") == Texts{"s", "##a", "##d"});
    CHECK(first_pieces("né") == Texts{"n", "##é"});
    CHECK(first_pieces("").empty());
    CHECK_THROWS_AS(first_pieces("a\xFF"), std::invalid_argument);
    CHECK_THROWS_WITH(first_pieces("a\xFF"), ContainsSubstring("word \"a\\xff\": not UTF-8"));
}
