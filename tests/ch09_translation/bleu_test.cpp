#include "ch09_translation/bleu.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "ch09_translation/grammar_clause.hpp"
#include "ch09_translation/parallel_text.hpp"
#include "common/io/npz.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Words = std::vector<std::string>;

// Largest error seen: 0; one ulp at 100 is 1.4e-14.
constexpr double tolerance = 6e-14;

Bleu bleu_of(const std::string& candidate, const std::string& reference) {
    return corpus_bleu({words_of(candidate)}, {words_of(reference)});
}

std::map<std::string, NpyArray> goldens() {
    return read_npz(std::string{BERT_SOURCE_DIR} + "/data/golden/ch09_bleu.npz");
}

// The numbers in double, which a Tensor would round in the float build.
std::vector<double> doubles(const NpyArray& array) {
    REQUIRE(array.dtype() == "<f8");
    std::vector<double> values(array.size());
    std::memcpy(values.data(), array.bytes().data(), array.bytes().size());
    return values;
}

// score, p_1 to p_4, brevity penalty, both lengths.
void check_equal(const Bleu& bleu, const double* expected) {
    CHECK_THAT(bleu.score, WithinAbs(expected[0], tolerance));
    for (std::size_t n = 0; n < 4; ++n)
        CHECK_THAT(bleu.precisions[n], WithinAbs(expected[1 + n], tolerance));
    CHECK_THAT(bleu.brevity_penalty, WithinAbs(expected[5], tolerance));
    CHECK(static_cast<double>(bleu.candidate_length) == expected[6]);
    CHECK(static_cast<double>(bleu.reference_length) == expected[7]);
}

}  // namespace

// Candidate of 6 words: 5 are in the reference (x is not); of 5 pairs 3 (a b, b c, d e), of 4
// triples 1 (a b c), of 3 groups of four none, which counts as one half.
TEST_CASE("corpus_bleu: worked by hand", "[ch09]") {
    const Bleu bleu = bleu_of("a b c x d e", "a b c d e f");
    CHECK_THAT(bleu.precisions[0], WithinAbs(100 * 5.0 / 6, tolerance));
    CHECK_THAT(bleu.precisions[1], WithinAbs(100 * 3.0 / 5, tolerance));
    CHECK_THAT(bleu.precisions[2], WithinAbs(100 * 1.0 / 4, tolerance));
    CHECK_THAT(bleu.precisions[3], WithinAbs(100 * 0.5 / 3, tolerance));
    CHECK(bleu.brevity_penalty == 1);
    CHECK_THAT(bleu.score,
               WithinAbs(100 * std::pow(5.0 / 6 * 3 / 5 * 1 / 4 * 0.5 / 3, 0.25), tolerance));
}

TEST_CASE("corpus_bleu: a word counts as often as the reference has it", "[ch09]") {
    // "the" stands 7 times, twice in the reference: the example of Papineni's section 2.1.
    const Bleu bleu = bleu_of("the the the the the the the", "the cat is on the mat");
    CHECK_THAT(bleu.precisions[0], WithinAbs(100 * 2.0 / 7, tolerance));
    CHECK_THAT(bleu.precisions[1], WithinAbs(100 * 0.5 / 6, tolerance));
    CHECK_THAT(bleu.precisions[2], WithinAbs(100 * 0.25 / 5, tolerance));
}

TEST_CASE("corpus_bleu: a short translation is scaled down and a long one is not", "[ch09]") {
    CHECK_THAT(bleu_of("a b c d e", "a b c d e f g h").score,
               WithinAbs(100 * std::exp(1 - 8.0 / 5), tolerance));
    CHECK(bleu_of("a b c d e f g h", "a b c d e").brevity_penalty == 1);
}

TEST_CASE("corpus_bleu: lengths and groups are of the corpus and not of sentences", "[ch09]") {
    // One candidate too short, one too long: together as long as the references.
    const Bleu bleu = corpus_bleu({words_of("a b c d"), words_of("f g h i j k")},
                                  {words_of("a b c d e"), words_of("f g h i j")});
    CHECK(bleu.brevity_penalty == 1);
    CHECK(bleu.candidate_length == 10);
    CHECK(bleu.reference_length == 10);
    CHECK_THAT(bleu.precisions[3], WithinAbs(100 * 3.0 / 4, tolerance));
}

TEST_CASE("corpus_bleu: equal texts of four words give 100", "[ch09]") {
    for (const char* text : {"a b c d", "the the the the the", "je n' aime pas l' école"}) {
        const Bleu bleu = bleu_of(text, text);
        CHECK_THAT(bleu.score, WithinAbs(100, tolerance));
        CHECK(bleu.precisions == std::array<double, 4>{100, 100, 100, 100});
    }
}

TEST_CASE("corpus_bleu: without a match or without four words the score is 0", "[ch09]") {
    CHECK(bleu_of("a b c d", "e f g h").score == 0);
    CHECK(bleu_of("a b c", "a b c").score == 0);
    CHECK(bleu_of("", "a b c d").score == 0);
    CHECK(bleu_of("a b c d", "").score == 0);
    CHECK(bleu_of("", "").score == 0);
    CHECK(bleu_of("", "").brevity_penalty == 1);
    CHECK(bleu_of("", "a").brevity_penalty == 0);
}

TEST_CASE("corpus_bleu: the order of sentences does not matter", "[ch09]") {
    const Words a = words_of("a b c x d"), b = words_of("e f g h i j"), c = words_of("k l m");
    const Words ra = words_of("a b c d"), rb = words_of("e f h g i j"), rc = words_of("k m l n o");
    CHECK(corpus_bleu({a, b, c}, {ra, rb, rc}).score == corpus_bleu({c, a, b}, {rc, ra, rb}).score);
    CHECK(corpus_bleu({a, b, c}, {ra, rb, rc}).score != corpus_bleu({a, b, c}, {rb, ra, rc}).score);
}

TEST_CASE("corpus_bleu: equals sacreBLEU on words", "[ch09]") {
    const auto arrays = goldens();
    const Words candidates = arrays.at("candidates").to_strings();
    const Words references = arrays.at("references").to_strings();
    const std::vector<double> scores = doubles(arrays.at("scores"));
    const auto sizes = arrays.at("sizes").to_ints();
    REQUIRE(sizes.size() >= 30);
    REQUIRE(scores.size() == 8 * sizes.size());
    std::size_t line = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::vector<Words> ours, theirs;
        for (const std::size_t end = line + static_cast<std::size_t>(sizes[i]); line < end;
             ++line) {
            ours.push_back(words_of(candidates[line]));
            theirs.push_back(words_of(references[line]));
        }
        INFO("corpus " << i);
        check_equal(corpus_bleu(ours, theirs), &scores[8 * i]);
    }
    CHECK(line == candidates.size());
}

TEST_CASE("tokenize_13a: equals sacreBLEU", "[ch09]") {
    const auto arrays = goldens();
    const Words texts = arrays.at("texts").to_strings();
    const Words tokens = arrays.at("tokens").to_strings();
    REQUIRE(texts.size() >= 80);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        INFO("text " << i << ": " << texts[i]);
        CHECK(join(tokenize_13a(texts[i])) == tokens[i]);
    }
}

TEST_CASE("corpus_bleu: equals sacreBLEU on running text", "[ch09]") {
    const auto arrays = goldens();
    const Words texts = arrays.at("texts").to_strings();
    const std::vector<double> scores = doubles(arrays.at("scores_13a"));
    std::size_t corpus = 0;
    for (std::size_t begin = 0; begin < texts.size(); begin += 4, ++corpus) {
        const std::size_t count = std::min<std::size_t>(4, texts.size() - begin);
        std::vector<Words> candidates, references;
        for (std::size_t i = 0; i < count; ++i) {
            references.push_back(tokenize_13a(texts[begin + i]));
            candidates.push_back(tokenize_13a(texts[begin + (i + 1) % count]));
        }
        INFO("corpus " << corpus);
        check_equal(corpus_bleu(candidates, references), &scores[8 * corpus]);
    }
    CHECK(8 * corpus == scores.size());
}

TEST_CASE("tokenize_13a: signs stand alone but points in numbers do not", "[ch09]") {
    CHECK(tokenize_13a("Hello, world!") == Words{"Hello", ",", "world", "!"});
    CHECK(tokenize_13a("1,000.25 a.b") == Words{"1,000.25", "a", ".", "b"});
    CHECK(tokenize_13a("1990-2000 so-so") == Words{"1990", "-", "2000", "so-so"});
    CHECK(tokenize_13a("&quot;x&quot;") == Words{"\"", "x", "\""});
    CHECK(tokenize_13a("").empty());
}

TEST_CASE("corpus_bleu and tokenize_13a: wrong input is refused", "[ch09]") {
    CHECK_THROWS_AS(corpus_bleu({}, {}), std::invalid_argument);
    CHECK_THROWS_WITH(corpus_bleu({{"a"}, {"b"}}, {{"a"}}),
                      ContainsSubstring("2 candidates for 1 references"));
    CHECK_THROWS_AS(tokenize_13a("a\xC3"), std::invalid_argument);
}
