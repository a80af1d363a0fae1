// bert tokenize: forms of output, where texts come from, and what is refused.
#include <string>

#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("bert tokenize: tokens ids and JSON of one text", "[bert]") {
    const auto folder = tiny_model("bert-tokenize");
    CHECK(bert_in(folder, "tokenize", "'The cats sat'").out == "[CLS] the cat ##s sat [SEP]\n");
    CHECK(bert_in(folder, "tokenize", "--ids 'The cats sat'").out == "2 5 6 7 8 3\n");
    CHECK(bert_in(folder, "tokenize", "--ids --no-special-tokens 'The cats sat'").out ==
          "5 6 7 8\n");
    CHECK(bert_in(folder, "tokenize", "--json 'cats [MASK]' --pair '\"'").out ==
          R"({"input_ids":[2,6,7,4,3,23,3],"tokens":["[CLS]","cat","##s","[MASK]","[SEP]","\"",)"
          R"("[SEP]"],"token_type_ids":[0,0,0,0,0,1,1],"attention_mask":[1,1,1,1,1,1,1],)"
          R"("special_tokens_mask":[1,0,0,0,1,0,1],"offsets":[[0,0],[0,3],[3,4],[5,11],[0,0],)"
          R"([0,1],[0,0]],"word_ids":[null,0,0,1,null,0,null]})"
          "\n");
}

TEST_CASE("bert tokenize: the same text as argument file and standard input", "[bert]") {
    const auto folder = tiny_model("bert-sources");
    write(folder / "lines.txt", "the cat\r\n\ntime\tflies\nlast");
    const std::string expected =
        "[CLS] the cat [SEP]\n[CLS] [SEP]\n[CLS] time [SEP] flies [SEP]\n[CLS] [UNK] [SEP]\n";
    CHECK(bert_in(folder, "tokenize", "--text-file lines.txt").out == expected);
    CHECK(bert_in(folder, "tokenize", "< lines.txt").out == expected);
    CHECK(bert_in(folder, "tokenize", "- < lines.txt").out == expected);
    CHECK(bert_in(folder, "tokenize", "'the cat' '' \"$(printf 'time\\tflies')\" last").out ==
          expected);
    CHECK(bert_in(folder, "tokenize", "< /dev/null").out.empty());
    CHECK(bert_in(folder, "tokenize", "-- -a").out == "[CLS] [UNK] a [SEP]\n");
    CHECK(bert_in(folder, "tokenize", "'{}' '[the,cat]' --pair=").code == 2);
    CHECK(bert_in(folder, "tokenize", "'[the,cat]' --pair='{}'").out ==
          "[CLS] [UNK] the , cat [UNK] [SEP] [UNK] [UNK] [SEP]\n");
    CHECK(bert_in(folder, "tokenize", "a --pair ''").out == "[CLS] a [SEP] [SEP]\n");
}

TEST_CASE("bert tokenize: truncation and padding", "[bert]") {
    const auto folder = tiny_model("bert-truncation");
    const auto ids = [&](const std::string& options) {
        return bert_in(folder, "tokenize", "--ids " + options).out;
    };
    CHECK(ids("'the cat sat on' --max-length 4") == "2 5 6 3\n");
    CHECK(ids("'the cat sat on' --max-length 4 --truncation none") == "2 5 6 8 9 3\n");
    CHECK(ids("'the cat sat on' --pair 'a dog' --max-length 7 --truncation only_first") ==
          "2 5 6 3 11 12 3\n");
    CHECK(ids("'the cat sat on' --pair 'a dog' --max-length 8 --truncation only_second") ==
          "2 5 6 8 9 3 11 3\n");
    CHECK(ids("a 'the cat' --padding longest") == "2 11 3 0\n2 5 6 3\n");
    CHECK(ids("a --padding max_length --max-length 5") == "2 11 3 0 0\n");
    CHECK(ids("'the cat sat on' --padding max_length --max-length 3") == "2 5 6 8 9 3\n");
    check_refused(bert_in(folder, "tokenize", "a --truncation longest_first"), 2, "max_length");
    check_refused(bert_in(folder, "tokenize", "a --truncation all"), 2,
                  "found all, expected longest_first");
    check_refused(bert_in(folder, "tokenize", "a --padding full"), 2, "found full");
    check_refused(bert_in(folder, "tokenize", "a --max-length 0"), 2, "--max-length");
    check_refused(bert_in(folder, "tokenize", "a --max-length 12abc"), 2, "12abc");
    check_refused(bert_in(folder, "tokenize", "a --max-length 1"), 2, "text 1: ");
}

TEST_CASE("bert tokenize: bytes that are not UTF-8 are said once", "[bert]") {
    const auto folder = tiny_model("bert-utf8");
    write(folder / "bad.txt", "the \xff cat\n\xc0\xaf\nthe\n");
    const Outcome outcome = bert_in(folder, "tokenize", "--text-file bad.txt");
    CHECK(outcome.code == 0);
    CHECK(outcome.out == "[CLS] the cat [SEP]\n[CLS] [SEP]\n[CLS] the [SEP]\n");
    CHECK(outcome.err == "warning: bad.txt: 3 parts are not UTF-8, read as U+FFFD\n");
    CHECK(bert_in(folder, "tokenize", "--quiet --text-file bad.txt").err.empty());
}

TEST_CASE("bert tokenize: lines that are no example are refused by number", "[bert]") {
    const auto folder = tiny_model("bert-lines");
    write(folder / "tabs.txt", "a\tb\na\tb\tc\n");
    check_refused(bert_in(folder, "tokenize", "--text-file tabs.txt"), 3, "tabs.txt: line 2: ");
    check_refused(bert_in(folder, "tokenize", "< tabs.txt"), 3, "standard input: line 2: ");
    check_refused(bert_in(folder, "tokenize", "\"$(cat tabs.txt)\""), 2, "text 1: ");
    check_refused(bert_in(folder, "tokenize", "\"$(printf 'a\\tb')\" --pair c"), 2, "--pair");
    check_refused(bert_in(folder, "tokenize", "a b --pair c"), 2, "found 2");
    check_refused(bert_in(folder, "tokenize", "--pair c < /dev/null"), 2, "--pair");
    check_refused(bert_in(folder, "tokenize", "- a"), 2, "standard input");
    check_refused(bert_in(folder, "tokenize", "a --text-file tabs.txt"), 2, "--text-file");
    check_refused(bert_in(folder, "tokenize", "--text-file none.txt"), 4, "none.txt");
    check_refused(bert_in(folder, "tokenize", "--text-file ."), 3, "a regular file");
    check_refused(bert_in(folder, "tokenize", "< ."), 4, "standard input");
    check_refused(bert_in(folder, "tokenize", "<&-"), 4, "standard input");
    const auto line_of = [&](int bytes) {
        return shell("{ echo a; head -c " + std::to_string(bytes) +
                     " /dev/zero | tr '\\0' x; echo; echo b; } | '" + BERT_BINARY_DIR +
                     "/bert' tokenize --ids --model '" + folder.string() + "'");
    };
    CHECK(line_of(16'777'216).out == "2 11 3\n2 1 3\n2 1 3\n");
    check_refused(line_of(16'777'217), 3, "line 2: too long (found more than 16777216 bytes");
    check_refused(line_of(30'000'000), 3, "line 2: too long");
    write(folder / "long.txt", std::string(16'777'217, 'x') + "\n");  // ends behind a whole block
    check_refused(bert_in(folder, "tokenize", "--text-file long.txt"), 3, "line 1: too long");
}

TEST_CASE("bert tokenize: many lines and any number of threads", "[bert]") {
    const auto folder = tiny_model("bert-many");
    std::string text;
    std::string expected;
    for (int i = 0; i < 20'000; ++i) {
        text += i % 3 == 0 ? "the cat\n" : "a dog ran!\n";
        expected += i % 3 == 0 ? "2 5 6 3\n" : "2 11 12 13 16 3\n";
    }
    write(folder / "many.txt", text);
    for (const char* threads : {"1", "2", "5"}) {
        CHECK(bert_in(folder, "tokenize",
                      std::string{"--ids --text-file many.txt --threads "} + threads)
                  .out == expected);
    }
}

TEST_CASE("bert tokenize: lines filled up to a length are written as they come", "[bert]") {
    if constexpr (sanitized) return;
    const auto folder = tiny_model("bert-filled-up");
    std::string text;
    for (int i = 0; i < 1600; ++i)
        text += "a\n";
    write(folder / "lines.txt", text);
    const Outcome outcome = shell(
        "cd '" + folder.string() + "'; ulimit -v 300000; '" + BERT_BINARY_DIR +
        "/bert' tokenize --model . --threads 1 --ids --padding max_length --max-length 100000 "
        "--text-file lines.txt | wc -c");
    CHECK(outcome.err.empty());
    CHECK(outcome.out == std::to_string(1600 * (2 * 100'000 + 1)) + "\n");
}

TEST_CASE("bert tokenize: a folder without what it needs is refused", "[bert]") {
    const auto folder = tiny_model("bert-vocabulary");
    write(folder / "vocab.txt", "[PAD]\n[UNK]\n");
    check_refused(bert_in(folder, "tokenize", "a"), 3, "[CLS]");
    std::filesystem::remove(folder / "vocab.txt");
    check_refused(bert_in(folder, "tokenize", "a"), 4, "vocab.txt");
    check_refused(program(folder, "bert", "tokenize --model nowhere a"), 4, "nowhere");
}
