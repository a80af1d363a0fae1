#include "ch12_wordpiece/byte_pair.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ch12_wordpiece/merge.hpp"
#include "ch12_wordpiece/plain_trainer.hpp"
#include "ch12_wordpiece/vocabulary_trainer.hpp"
#include "common/io/npz.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Texts = std::vector<std::string>;

Texts made_by(const std::vector<BytePairMerge>& merges) {
    Texts result;
    for (const BytePairMerge& merge : merges)
        result.push_back(merge.left + " " + merge.right);
    return result;
}

std::string in_one_line(const Texts& pieces) {
    std::string line;
    for (const std::string& piece : pieces)
        line += (line.empty() ? "" : " ") + piece;
    return line;
}

std::map<std::string, NpyArray> goldens() {
    return read_npz(std::string{BERT_SOURCE_DIR} + "/data/golden/ch12_byte_pair.npz");
}

WordCounts golden_words(const std::map<std::string, NpyArray>& arrays) {
    const Texts words = arrays.at("words").to_strings();
    const auto counts = arrays.at("counts").to_ints();
    WordCounts result;
    for (std::size_t i = 0; i < words.size(); ++i)
        result[words[i]] = static_cast<std::uint64_t>(counts[i]);
    return result;
}

}  // namespace

// The words of section 3.2 of the paper. e s and s t</w> stand in 9 places; then es t</w> 9, l o 7;
// then e w, n e and w est</w> 6 each, of which "ew" has the smallest bytes; then ew est</w>
// ("ewest</w>" before "new") and n ewest</w> 6, lo w</w> 5.
TEST_CASE("byte_pair_merges: the words of the paper worked by hand", "[ch12]") {
    const WordCounts words = {{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}};
    const std::vector<BytePairMerge> merges = byte_pair_merges(words, 7);
    CHECK(made_by(merges) ==
          Texts{"e s", "es t</w>", "l o", "e w", "ew est</w>", "n ewest</w>", "lo w</w>"});
    const std::vector<std::uint64_t> counts = {9, 9, 7, 6, 6, 6, 5};
    for (std::size_t i = 0; i < counts.size(); ++i)
        CHECK(merges[i].count == counts[i]);
    CHECK(byte_pair_encode("low", merges) == Texts{"low</w>"});
    CHECK(byte_pair_encode("lowest", merges) == Texts{"lo", "w", "est</w>"});
    CHECK(byte_pair_encode("newer", merges) == Texts{"n", "ew", "e", "r</w>"});
    CHECK(byte_pair_encode("lowest", {}) == Texts{"l", "o", "w", "e", "s", "t</w>"});
}

TEST_CASE("byte_pair_encode: the earliest merge comes first and not the longest piece", "[ch12]") {
    const std::vector<BytePairMerge> merges = {{"b", "c", 3}, {"a", "b", 2}, {"ab", "c</w>", 1}};
    CHECK(byte_pair_encode("abcd", merges) == Texts{"a", "bc", "d</w>"});
    CHECK(byte_pair_encode("abc", merges) == Texts{"abc</w>"});
    CHECK(byte_pair_encode("abab", merges) == Texts{"ab", "a", "b</w>"});
}

TEST_CASE("byte_pair_merges: of equal counts the smaller bytes come first", "[ch12]") {
    const auto merges = byte_pair_merges({{"abcx", 3}, {"abcy", 3}}, 3);
    CHECK(made_by(merges) == Texts{"a b", "ab c", "abc x</w>"});
}

TEST_CASE("byte_pair_merges: ends when no pair is left", "[ch12]") {
    CHECK(made_by(byte_pair_merges({{"ab", 2}, {"c", 9}, {"de", 0}}, 10)) == Texts{"a b</w>"});
    CHECK(byte_pair_merges({}, 10).empty());
    CHECK(byte_pair_merges({{"ab", 2}}, 0).empty());
    CHECK(byte_pair_encode("", {}).empty());
    CHECK_THROWS_AS(byte_pair_merges({{"\xFF", 1}}, 1), std::invalid_argument);
    CHECK_THROWS_AS(byte_pair_encode("\xFF", {}), std::invalid_argument);
}

TEST_CASE("byte_pair_merges: equals the package tokenizers", "[ch12]") {
    const auto arrays = goldens();
    const Texts expected = arrays.at("merges").to_strings();
    REQUIRE(expected.size() == 60);
    CHECK(made_by(byte_pair_merges(golden_words(arrays), 60)) == expected);
}

TEST_CASE("byte_pair_encode: equals the package tokenizers", "[ch12]") {
    const auto arrays = goldens();
    const auto merges = byte_pair_merges(golden_words(arrays), 60);
    const Texts words = arrays.at("other_words").to_strings();
    const Texts pieces = arrays.at("other_pieces").to_strings();
    REQUIRE(words.size() == 200);
    for (std::size_t i = 0; i < words.size(); ++i)
        CHECK(in_one_line(byte_pair_encode(words[i], merges)) == pieces[i]);
}

// What that package calls WordPieceTrainer takes the commonest pair.
TEST_CASE("train_wordpiece: by count equals the package tokenizers", "[ch12]") {
    const auto arrays = goldens();
    const Texts expected = arrays.at("wordpiece_trainer").to_strings();
    REQUIRE(expected.size() == 60);
    VocabularyTraining options;
    options.special_tokens = {};
    options.size = 2 * 6 + 60;
    options.score = MergeScore::count;
    const Texts tokens = train_wordpiece(golden_words(arrays), options).tokens;
    REQUIRE(tokens.size() == options.size);
    CHECK(Texts(tokens.begin() + 12, tokens.end()) == expected);
    options.score = MergeScore::likelihood_gain;
    CHECK(train_wordpiece(golden_words(arrays), options).tokens != tokens);
}
