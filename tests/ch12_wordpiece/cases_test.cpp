// Texts that other tokenizers got wrong, each with the public report that it comes from.
#include <string>
#include <vector>

#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch12_wordpiece/plain_tokenize.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "tests/ch12_wordpiece/pieces.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

struct Case {
    const char* name;
    std::string text;
    Ids ids;
    Offsets offsets;  // empty: not part of the case
    TokenizerOptions options;
};

// clang-format off
const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
    // huggingface/transformers#35
    {"TOK-01", "caf\u00E8", {127}, {}, {}},
    // ggml-org/llama.cpp#5496
    {"TOK-02", "Kant\u014D l\u01DCshi", {141, 142}, {}, {}},
    // ggml-org/llama.cpp#6305
    {"TOK-04", "\u0917\u094B \u0917\u0941", {202, 203, 202}, {}, {}},
    // huggingface/swift-transformers#354; huggingface/tokenizers#215
    {"TOK-05", "\u30B5\u30A4\u30C8\u3067\u3059 \u30D0", {183, 189, 190, 191, 192, 184}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 7}}, {}},
    // google-research/bert#228; huggingface/transformers#436
    {"TOK-07", "\uC548", {199}, {}, {.lower_case = false}},
    // huggingface/transformers#6680; explosion/spaCy#6476
    {"TOK-08", "A\u0130 \u0130STANBUL \u0131", {7, 41, 149, 214}, {{0, 1}, {1, 2}, {3, 11}, {12, 13}}, {}},
    // huggingface/transformers#5738
    {"TOK-10", "e\u0301", {11, 224}, {}, {.lower_case = false}},
    {"TOK-10 composed", "\u00E9", {222}, {}, {.lower_case = false}},
    // tensorflow/text#817
    {"TOK-11", "note\302\227 one\302\227two", {129, 132, 167}, {}, {}},
    // dotnet/machinelearning#7725
    {"TOK-13", "a+b=$1 20\u00B0c \u00A310 a\u00A9", {7, 89, 8, 97, 82, 60, 61, 69, 219, 35, 216, 70, 69, 7, 221}, {}, {}},
    // huggingface/tokenizers#83, #115, #134
    {"TOK-14", "\u4E16\u754C\u202709\u670815\u65E5 one\u2013two \u00BFcat\u2019s \u201Cdog\u201D", {173, 174, 111, 59, 78, 177, 60, 74, 178, 132, 112, 134, 113, 121, 114, 25, 115, 138, 116}, {}, {}},
    // huggingface/tokenizers#404
    {"TOK-16", "\U0001F60A\U0001F60A\U0001F60A", {1}, {{0, 3}}, {}},
    // dbmdz/berts#48
    {"TOK-17", "one \U000FE4FA two", {132, 134}, {}, {}},
    // huggingface/transformers#12249
    {"TOK-19", "\u8FD9\u662F\u4E00\u4E2A\uFFFD\uFFFD\u4E2D\u6587", {179, 180, 181, 182, 171, 172}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {6, 7}, {7, 8}}, {}},
    // huggingface/transformers#1662
    {"TOK-20", "\u0E38 cat \u0E01\u0E38", {121, 204}, {{2, 5}, {6, 7}}, {}},
    // NMZivkovic/BertTokenizers#12
    {"TOK-22", "eiffel", {11, 165, 166}, {}, {}},
    // tensorflow/text#73; apache/opennlp#1073
    {"TOK-25", "catx\u8FD9 unaff\u00FE", {121, 56, 179, 1}, {}, {}},
    // huggingface/transformers#15156
    {"TOK-26", "\u7684\u4EBA\u6709", {1}, {}, {.space_chinese = false}},
    // huggingface/tokenizers bert.rs vs google-research/bert tokenization.py (read)
    {"TOK-28", "a\U0002B825b", {1}, {}, {}},
    // ggml-org/llama.cpp#18756, #23899; CyberZHG/keras-bert#41
    {"TOK-29", "Hello Paris", {225, 226}, {}, {.lower_case = false}},
    // huggingface/tokenizers#281
    {"TOK-31", "\u0626", {200}, {}, {}},
    // huggingface/tokenizers#663; google-research/bert#417
    {"TOK-32", "one\u00A0two\u3000line\u202Fbook", {132, 134, 133, 130}, {}, {}},
    // UniversalDependencies/docs#1010
    {"TOK-34", "note\u200Bbook \uFEFFcat so\u00ADt no\u200Dte", {131, 121, 25, 47, 52, 129}, {{0, 9}, {11, 14}, {15, 16}, {16, 17}, {18, 19}, {20, 25}}, {}},
    // xyzhang626/embeddings.cpp#1 (full width)
    {"TOK-35", "\uFF28\uFF25\uFF2C\uFF2C\uFF2F\uFF0Ccat", {1, 117, 121}, {}, {}},
    // apache/opennlp#1073
    {"TOK-38", "UNAFFABLE Cat,Dog!", {160, 158, 159, 121, 90, 138, 79}, {}, {}},
    // huggingface/tokenizers#663
    {"TOK-40", "T\020oo \020\011\012 one \020\020 te\020st", {145, 132, 154}, {{0, 4}, {9, 12}, {16, 21}}, {}},
    // derived from the empty-input reports huggingface/transformers#2623, dbmdz/berts#48
    {"TOK-41", " \011\012\u200B ", {}, {}, {}},
    // huggingface/transformers#2052, #172; keras-team/keras-hub#1395; huggingface/tokenizers#160; pytorch/text#1883
    {"SPC-01", "The [MASK] sat on [UNK]", {120, 4, 122, 123, 1}, {{0, 3}, {4, 10}, {11, 14}, {15, 17}, {18, 23}}, {}},
    // huggingface/transformers#2052
    {"SPC-02", "the[MASK]cat [mask]", {120, 4, 121, 101, 19, 33, 51, 43, 103}, {{0, 3}, {3, 9}, {9, 12}, {13, 14}, {14, 15}, {15, 16}, {16, 17}, {17, 18}, {18, 19}}, {}},
    };
    return all;
}
// clang-format on

Tokenizer mini() {
    return Tokenizer{mini_vocabulary()};
}

}  // namespace

TEST_CASE("Tokenizer: texts of public bug reports", "[ch12]") {
    for (const Case& one : cases()) {
        INFO(one.name << " " << one.text);
        const auto pieces = Tokenizer{mini_vocabulary(), one.options}(one.text);
        CHECK(ids_of(pieces) == one.ids);
        if (!one.offsets.empty()) CHECK(offsets_of(pieces) == one.offsets);
    }
}

// huggingface/transformers.js#397, #398; huggingface/transformers#17551 (TOK-23).
TEST_CASE("Tokenizer: a word of 100 characters is matched and one of 101 is unknown", "[ch12]") {
    const std::string text = std::string(100, 'a') + " " + std::string(101, 'a');
    const auto pieces = mini()(text);
    REQUIRE(pieces.size() == 101);
    CHECK(pieces[0] == Piece{7, 0, 1, 0});
    CHECK(pieces[99] == Piece{33, 99, 100, 0});
    CHECK(pieces[100] == Piece{1, 101, 202, 1});
    // Characters count, not bytes.
    std::string accents;
    for (int i = 0; i < 100; ++i)
        accents += "\u00E9";
    CHECK(mini()(accents).size() == 100);
    CHECK(ids_of(mini()(accents + "\u00E9")) == Ids{1});
}

// ggml-org/llama.cpp#8691 (TOK-37): "cat ", a sequence cut short, a lone FF, an overlong NUL,
// "dog".
TEST_CASE("Tokenizer: bytes that are not UTF-8 are dropped as U+FFFD is", "[ch12]") {
    const auto pieces = mini()("cat \xE6\xAD \xFF\xC0\x80 dog");
    CHECK(ids_of(pieces) == Ids{121, 138});
    CHECK(offsets_of(pieces) == Offsets{{0, 3}, {10, 13}});
}

// huggingface/transformers#4683; tensorflow/text#985 (SPC-05).
TEST_CASE("Tokenizer: a token of the vocabulary is found in a text only when registered",
          "[ch12]") {
    CHECK(ids_of(mini()("[unused1] cat")) == Ids{101, 160, 53, 51, 156, 70, 103, 121});
    const Tokenizer registered{mini_vocabulary(), {.additional_special_tokens = {"[unused1]"}}};
    CHECK(ids_of(registered("[unused1] cat")) == Ids{6, 121});
    CHECK(registered.is_special(6));
    CHECK_FALSE(mini().is_special(6));
}

// huggingface/transformers#36, #16438; huggingface/tokenizers#266, #216 (DEC-01).
TEST_CASE("decode: with and without clean-up", "[ch12]") {
    const WordPieceVocabulary vocabulary{{"[CLS]", "un", "##aff", "##able", "(", "cat", ")", ",",
                                          "it", "'", "s", "1", ".", "5", "[SEP]", "[UNK]", "[MASK]",
                                          "[PAD]"}};
    const Tokenizer tokenizer{vocabulary};
    const Ids ids = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    CHECK(tokenizer.decode(ids, true, CleanUp::none) == "unaffable ( cat ) , it ' s 1 . 5");
    CHECK(tokenizer.decode(ids, true, CleanUp::whole_text) == "unaffable ( cat ), it's 1. 5");
    CHECK(tokenizer.decode(ids, true) == "unaffable ( cat ), it ' s 1. 5");
    CHECK(tokenizer.decode(ids) == "[CLS] unaffable ( cat ), it ' s 1. 5 [SEP]");
    // At the start there is nothing to be glued to: the mark stays.
    CHECK(tokenizer.decode(Ids{2, 5}) == "##aff cat");
    CHECK(tokenizer.decode(Ids{0, 2}, true) == "##aff");
    CHECK(tokenizer.decode(Ids{}).empty());
    // jbrry/Irish-BERT#62 (VOC-08): a continuation that no text gives is still a token.
    const Tokenizer odd{
        WordPieceVocabulary{{"[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]", "a", "##-\""}}};
    CHECK(odd.decode(Ids{5, 6}) == "a-\"");
}
