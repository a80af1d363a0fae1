#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ch12_wordpiece/greedy_match.hpp"
#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch12_wordpiece/piece_trie.hpp"
#include "ch12_wordpiece/plain_tokenize.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "common/io/utf8.hpp"
#include "common/random/random.hpp"
#include "tests/ch12_wordpiece/pieces.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

// Letters, blanks, marks and oddities that meet each other in every order.
constexpr std::array<std::string_view, 34> parts = {"a",          "the",
                                                    "CAT",        "un",
                                                    "aff",        "able",
                                                    " ",          " ",
                                                    "\t",         "\n",
                                                    ".",          "[",
                                                    "]",          "'",
                                                    "1",          "20",
                                                    "\u00E9",     "\u0301",
                                                    "\u0323",     "\u302E",
                                                    "字",         "\u3000",
                                                    "か\u3099",   "가",
                                                    "ß",          "İ",
                                                    "\x01",       "\u200B",
                                                    "\uFFFD",     "\xFF",
                                                    "\xE6\xAD",   "\u037E",
                                                    "\U0002B825", "zzzzzzzzzzzzzzzzzzzzzzzzzz"};

std::string random_text(Random& random) {
    std::string text;
    const std::size_t count = 1 + random.below(30);
    for (std::size_t i = 0; i < count; ++i)
        text += parts[random.below(parts.size())];
    return text;
}

std::string random_code_points(Random& random) {
    std::string text;
    for (std::size_t i = 0; i < 20; ++i)
        append_utf8(text, static_cast<char32_t>(random.below(0x110000)));
    return text;
}

std::vector<TokenizerOptions> all_options() {
    return {{},
            {.lower_case = false},
            {.strip_accents = false},
            {.lower_case = false, .strip_accents = true},
            {.space_chinese = false},
            {.lower_case = false, .space_chinese = false}};
}

}  // namespace

TEST_CASE("Tokenizer: equals the plain form", "[ch12]") {
    const WordPieceVocabulary vocabulary = mini_vocabulary();
    for (const TokenizerOptions& options : all_options()) {
        Random random{1202};
        const Tokenizer tokenizer{vocabulary, options};
        for (int i = 0; i < 1500; ++i) {
            const std::string text = i % 3 == 2 ? random_code_points(random) : random_text(random);
            INFO(text);
            CHECK(tokenizer(text) == plain_tokenize(text, vocabulary, options));
        }
    }
}

// The walk cuts such texts after 4096 bytes.
TEST_CASE("Tokenizer: equals the plain form on long texts without blanks", "[ch12]") {
    const WordPieceVocabulary vocabulary = mini_vocabulary();
    Random random{1203};
    for (const TokenizerOptions& options : all_options()) {
        for (const std::size_t kinds : {1U, 2U, 5U}) {
            constexpr std::array<std::string_view, 5> pieces = {"字", "é", "\u037E", "\u0323", "a"};
            std::string text;
            while (text.size() < 20000)
                text += pieces[random.below(kinds)];
            CHECK(Tokenizer{vocabulary, options}(text) ==
                  plain_tokenize(text, vocabulary, options));
        }
    }
}

TEST_CASE("PieceTrie: finds what trying every length finds", "[ch12]") {
    const WordPieceVocabulary vocabulary = mini_vocabulary();
    PieceTrie trie;
    for (std::size_t i = 0; i < vocabulary.size(); ++i)
        trie.insert(vocabulary.tokens()[i], static_cast<std::int32_t>(i));
    for (const std::string& word : vocabulary.tokens()) {
        for (std::size_t length = 0; length <= word.size(); ++length) {
            const std::string text = word.substr(0, length) + "x";
            PieceTrie::Match expected{-1, 0};
            for (std::size_t n = 1; n <= text.size(); ++n) {
                if (const auto id = vocabulary.find(text.substr(0, n))) expected = {*id, n};
            }
            const PieceTrie::Match found = trie.longest(text);
            CHECK(found.value == expected.value);
            CHECK(found.length == expected.length);
        }
        CHECK(trie.node_of(word) != PieceTrie::root);
    }
    CHECK(trie.node_of("qqq") == PieceTrie::root);
    CHECK(trie.longest("").length == 0);
}

TEST_CASE("Tokenizer: pieces cover each word in order", "[ch12]") {
    Random random{1204};
    const Tokenizer tokenizer{mini_vocabulary()};
    for (int i = 0; i < 500; ++i) {
        const auto pieces = tokenizer(random_text(random));
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            CHECK(pieces[k].begin < pieces[k].end);
            if (k == 0) {
                CHECK(pieces[k].word == 0);
                continue;
            }
            CHECK(pieces[k].begin + 1 >= pieces[k - 1].end);
            const std::int32_t step = pieces[k].word - pieces[k - 1].word;
            CHECK((step == 0 || step == 1));
        }
    }
}

// Of letters and signs that nothing removes or changes but for their case.
TEST_CASE("Tokenizer: pieces spell the text that their places name", "[ch12]") {
    Random random{1206};
    const Tokenizer tokenizer{mini_vocabulary()};
    for (int i = 0; i < 500; ++i) {
        std::string text;
        for (std::size_t k = 0; k < 40; ++k)
            text += "aabcdeeghinosTUN  ,.?"[random.below(21)];
        INFO(text);
        std::string covered(text.size(), ' ');
        for (const Piece& piece : tokenizer(text)) {
            const std::string_view token = tokenizer.vocabulary().token(piece.id);
            std::string part = text.substr(piece.begin, piece.end - piece.begin);
            REQUIRE(part.find(' ') == part.npos);
            covered.replace(piece.begin, part.size(), part);
            for (char& letter : part)
                if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + 32);
            if (token != "[UNK]")
                REQUIRE(part == (token.starts_with("##") ? token.substr(2) : token));
        }
        REQUIRE(covered == text);
    }
}

TEST_CASE("Tokenizer: a text on a line of its own has the same pieces", "[ch12]") {
    Random random{1205};
    const Tokenizer tokenizer{mini_vocabulary()};
    for (int i = 0; i < 300; ++i) {
        const std::string a = random_text(random);
        const std::string b = random_text(random);
        const auto pieces_of_a = tokenizer(a);
        auto both = ids_of(pieces_of_a);
        for (const TokenId id : ids_of(tokenizer(b)))
            both.push_back(id);
        CHECK(ids_of(tokenizer(a + "\n" + b)) == both);
    }
}

TEST_CASE("Tokenizer: eight threads at once give the same", "[ch12]") {
    const Tokenizer tokenizer{mini_vocabulary()};
    Random random{1206};
    Strings texts;
    std::vector<std::vector<Piece>> expected;
    for (int i = 0; i < 200; ++i) {
        texts.push_back(random_text(random));
        expected.push_back(tokenizer(texts.back()));
    }
    std::vector<std::vector<std::vector<Piece>>> found(8);
    std::vector<std::thread> threads;
    for (auto& result : found) {
        threads.emplace_back([&] {
            for (const std::string& text : texts)
                result.push_back(tokenizer(text));
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (const auto& result : found)
        CHECK(result == expected);
}

TEST_CASE("Tokenizer: long texts of one kind", "[ch12]") {
    const Tokenizer tokenizer{mini_vocabulary()};
    const auto repeated = [](std::string_view part, std::size_t count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += part;
        return text;
    };
    CHECK(tokenizer(repeated("a", 1'000'000)) == std::vector<Piece>{{1, 0, 1'000'000, 0}});
    // Accents on one letter; out of order; and none of them left.
    CHECK(tokenizer("a" + repeated("\u0301", 1'000'000)) == std::vector<Piece>{{7, 0, 1, 0}});
    CHECK(tokenizer("a" + repeated("\u0301\u0323", 500'000)) == std::vector<Piece>{{7, 0, 1, 0}});
    CHECK(tokenizer(repeated("\u0301", 1'000'000)).empty());
    CHECK(tokenizer(repeated("[", 100'000)).size() == 100'000);
    CHECK(tokenizer(repeated("字", 100'000)).size() == 100'000);
    CHECK(tokenizer(repeated("\xFF", 100'000)).empty());
    CHECK(tokenizer(repeated("[MASK]", 10'000)).size() == 10'000);
    // Three code points of one.
    const TokenizerOptions keep{.strip_accents = false};
    CHECK(Tokenizer{mini_vocabulary(), keep}(repeated("\U0001D1C0", 1000)).size() == 1);
    CHECK(tokenizer("").empty());
    CHECK(tokenizer(std::string(100, ' ')).empty());
    CHECK(tokenizer(std::string(3, '\0')).empty());
}

// Places as transformers 5.24 with tokenizers 0.23.3 gives them.
TEST_CASE("Tokenizer: a special token takes in the blanks around it where it is told to",
          "[ch12]") {
    const WordPieceVocabulary vocabulary{{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"}};
    const auto places = [&](const std::string& text, BlanksTaken taken) {
        const Tokenizer tokenizer{vocabulary, {.blanks_taken = {{"[MASK]", taken}}}};
        const std::vector<Piece> pieces = tokenizer(text);
        CHECK(ids_of(pieces) == ids_of(Tokenizer{vocabulary}(text)));
        return offsets_of(pieces);
    };
    const BlanksTaken before{true, false};
    const BlanksTaken after{false, true};
    const BlanksTaken both{true, true};
    const std::string row = "[MASK] [MASK]  [MASK]";
    CHECK(places(row, {}) == Offsets{{0, 6}, {7, 13}, {15, 21}});
    CHECK(places(row, before) == Offsets{{0, 6}, {6, 13}, {13, 21}});
    CHECK(places(row, after) == Offsets{{0, 7}, {7, 15}, {15, 21}});
    CHECK(places(row, both) == Offsets{{0, 7}, {7, 15}, {15, 21}});
    CHECK(places("  [MASK]  ", both) == Offsets{{0, 10}});
    CHECK(places("\x01 [MASK] \x01", both) == Offsets{{1, 9}});
    // Vertical tab, form feed, U+0085, U+00A0, U+3000, the zero-width space that is none, U+2003.
    const std::string blanks = "\v\f\xc2\x85\xc2\xa0\xe3\x80\x80\xe2\x80\x8b";
    const std::string text = "a " + blanks + "\xe2\x80\x83[MASK]" + blanks + " a";
    CHECK(places(text, before) == Offsets{{0, 1}, {8, 15}, {22, 23}});
    CHECK(places(text, after) == Offsets{{0, 1}, {9, 20}, {22, 23}});
}

TEST_CASE("Tokenizer: other names for the special tokens", "[ch12]") {
    const WordPieceVocabulary vocabulary{{"<unk>", "<s>", "</s>", "MASK", "pad", "a", "«m»"}};
    const TokenizerOptions options{.unknown_token = "<unk>",
                                   .cls_token = "<s>",
                                   .sep_token = "</s>",
                                   .mask_token = "MASK",
                                   .pad_token = "pad",
                                   .additional_special_tokens = {"«m»"}};
    const Tokenizer tokenizer{vocabulary, options};
    CHECK(tokenizer.special().mask == 3);
    CHECK(ids_of(tokenizer("a MASK aMASKa <s>x</s>")) == Ids{5, 3, 5, 3, 5, 1, 0, 2});
    // Spelled otherwise it is text.
    CHECK(ids_of(tokenizer("mask")) == Ids{0});
    CHECK(tokenizer("é«m»a") == std::vector<Piece>{{0, 0, 1, 0}, {6, 1, 4, 1}, {5, 4, 5, 2}});
    // Without any piece that continues a word.
    CHECK(ids_of(tokenizer("aa")) == Ids{0});
}
