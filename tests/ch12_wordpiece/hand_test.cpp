#include <string>
#include <vector>

#include "ch12_wordpiece/clean_text.hpp"
#include "ch12_wordpiece/greedy_match.hpp"
#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch12_wordpiece/lower_case.hpp"
#include "ch12_wordpiece/normalise.hpp"
#include "ch12_wordpiece/split_words.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "tests/ch12_wordpiece/pieces.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Places = std::vector<std::uint32_t>;

Places places_of(const SourceText& text) {
    Places places;
    for (const SourceCharacter& c : text)
        places.push_back(c.place);
    return places;
}

}  // namespace

// The longest piece of the vocabulary at each place: of "strawberries" that is "straw", and then
// "berries" with the mark in front.
TEST_CASE("N29: strawberries is straw and ##berries", "[ch12]") {
    const Tokenizer tokenizer{published_excerpt()};
    const auto pieces = tokenizer("strawberries");
    CHECK(tokens_of(tokenizer, pieces) == Strings{"straw", "##berries"});
    CHECK(ids_of(pieces) == Ids{13137, 20968});
    CHECK(pieces[1] == Piece{20968, 5, 12, 0});
}

TEST_CASE("N30: the last of the published tokens is number 30521", "[ch12]") {
    const WordPieceVocabulary vocabulary = published_excerpt();
    CHECK(vocabulary.token(0) == "[PAD]");
    CHECK(vocabulary.token(30521) == "##\uFF5E");
    CHECK(vocabulary.find("##\uFF5E") == 30521);
    CHECK(vocabulary.find("[MASK]") == 103);
    CHECK(Tokenizer{vocabulary}("the cat sat on the mat").size() == 6);
}

// un + ##aff + ##able, with a vocabulary in which all three are longest; "##affable" is not there.
TEST_CASE("greedy_match: takes the longest piece from the left", "[ch12]") {
    const WordPieceVocabulary vocabulary{{"u", "un", "##a", "##aff", "##able", "##f", "##affa"}};
    const auto parts = greedy_match("unaffable", vocabulary);
    // After "##affa" only "##ble" could follow: greedy does not go back for "##aff", "##able".
    CHECK(parts.empty());
    const WordPieceVocabulary without{{"u", "un", "##a", "##aff", "##able", "##f"}};
    const auto three = greedy_match("unaffable", without);
    REQUIRE(three.size() == 3);
    CHECK(three[0].id == 1);
    CHECK(three[1].id == 3);
    CHECK(three[2].id == 4);
    CHECK(three[1].begin == 2);
    CHECK(three[1].end == 5);
    CHECK(three[2].end == 9);
    CHECK(greedy_match("", without).empty());
    CHECK(greedy_match("ux", without).empty());
    // Without the mark a piece starts a word only, with it it continues one only.
    CHECK(greedy_match("able", without).empty());
    CHECK(greedy_match("uu", without).empty());
    // At most 100 characters.
    const WordPieceVocabulary accents{{"\u00E9", "##\u00E9"}};
    std::string word;
    for (int i = 0; i < 100; ++i)
        word += "\u00E9";
    CHECK(greedy_match(word, accents).size() == 100);
    CHECK(greedy_match(word + "\u00E9", accents).empty());
}

TEST_CASE("clean_text: removes what nobody sees and makes whitespace blanks", "[ch12]") {
    SourceText text = source_text("a\x01\u200Bb\t\u3000c\uFFFD\u00ADd\uE000\u0085e\n");
    clean_text(text);
    CHECK(to_utf8(text) == "ab  cde ");
    CHECK(places_of(text) == Places{0, 3, 4, 5, 6, 9, 12, 13});
}

TEST_CASE("space_chinese: ideographs stand alone and kana do not", "[ch12]") {
    SourceText text = source_text("a字カ가");
    space_chinese(text);
    CHECK(to_utf8(text) == "a 字 カ가");
    CHECK(places_of(text) == Places{0, 1, 1, 1, 2, 3});
}

TEST_CASE("strip_accents: letters stay and nonspacing marks go", "[ch12]") {
    SourceText text = source_text("Käse ǜ 가 क्\u093E");
    strip_accents(text);
    CHECK(to_utf8(text) == "Kase u \u1100\u1161 क\u093E");
    // Both halves of the syllable (place 7) have its place.
    CHECK(places_of(text) == Places{0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 11});
}

// U+0301 (class 230) and U+0323 (class 220) change places, 1 and 2 do not.
TEST_CASE("decompose: sorts marks by class and leaves places in order", "[ch12]") {
    SourceText text = source_text("e\u0301\u0323x");
    decompose(text);
    CHECK(to_utf8(text) == "e\u0323\u0301x");
    CHECK(places_of(text) == Places{0, 1, 2, 3});
    // U+00E9 gives e and U+0301, of the same place; the U+0323 behind it comes before.
    SourceText two = source_text("\u00E9\u0323");
    decompose(two);
    CHECK(to_utf8(two) == "e\u0323\u0301");
    CHECK(places_of(two) == Places{0, 1, 1});
}

TEST_CASE("lower_case: letter by letter", "[ch12]") {
    SourceText text = source_text("ΟΔΟΣ ẞ İx");
    lower_case(text);
    CHECK(to_utf8(text) == "οδοσ ß i\u0307x");
    CHECK(places_of(text) == Places{0, 1, 2, 3, 4, 5, 6, 7, 7, 8});
}

TEST_CASE("normalise: the options switch its steps", "[ch12]") {
    const auto normal = [](const TokenizerOptions& options) {
        SourceText text = source_text("É字");
        normalise(text, options);
        return to_utf8(text);
    };
    CHECK(normal({}) == "e 字 ");
    CHECK(normal({.strip_accents = false}) == "é 字 ");
    CHECK(normal({.lower_case = false}) == "É 字 ");
    CHECK(normal({.lower_case = false, .strip_accents = true}) == "E 字 ");
    CHECK(normal({.space_chinese = false}) == "e字");
}

TEST_CASE("split_words: at whitespace and around punctuation", "[ch12]") {
    const auto words = [](const char* utf8) {
        const SourceText text = source_text(utf8);
        Strings result;
        for (const auto& [begin, end] : split_words(text))
            result.push_back(to_utf8({text.begin() + static_cast<std::ptrdiff_t>(begin),
                                      text.begin() + static_cast<std::ptrdiff_t>(end)}));
        return result;
    };
    CHECK(words("it's  a b-c…") == Strings{"it", "'", "s", "a", "b", "-", "c", "…"});
    CHECK(words("20°c +1").size() ==
          3);  // the degree sign is a symbol and no punctuation, + is ASCII
    CHECK(words("").empty());
    CHECK(words("  ").empty());
}
