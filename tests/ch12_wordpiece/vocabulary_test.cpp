#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "tests/ch12_wordpiece/pieces.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Duplicates = WordPieceVocabulary::Duplicates;

const std::string special_lines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";

Strings tokens_of_file(const std::string& bytes) {
    return WordPieceVocabulary::parse("vocab.txt", bytes).tokens();
}

void check_refused_file(const std::string& bytes, const std::string& message) {
    CHECK_THROWS_AS(WordPieceVocabulary::parse("vocab.txt", bytes), FileError);
    CHECK_THROWS_WITH(WordPieceVocabulary::parse("vocab.txt", bytes), ContainsSubstring(message));
}

}  // namespace

TEST_CASE("WordPieceVocabulary: ids are numbers of lines", "[ch12]") {
    const WordPieceVocabulary vocabulary = mini_vocabulary();
    CHECK(vocabulary.size() == 228);
    CHECK(vocabulary.token(0) == "[PAD]");
    CHECK(vocabulary.token(120) == "the");
    CHECK(vocabulary.find("the") == 120);
    CHECK(vocabulary.find("##able") == 159);
    CHECK_FALSE(vocabulary.find("The"));
    CHECK_FALSE(vocabulary.find(""));
}

TEST_CASE("WordPieceVocabulary: an id out of range is named with the size", "[ch12]") {
    const WordPieceVocabulary vocabulary = mini_vocabulary();
    for (const TokenId id : {-1, 228, 2147483647, -2147483647}) {
        CHECK_THROWS_AS(vocabulary.token(id), std::invalid_argument);
        CHECK_THROWS_WITH(vocabulary.token(id), ContainsSubstring("token id " + std::to_string(id) +
                                                                  " out of range [0, 228)"));
        const Ids ids = {id};
        CHECK_THROWS_AS(Tokenizer{vocabulary}.decode(ids), std::invalid_argument);
    }
}

TEST_CASE("WordPieceVocabulary: only the ends of lines are taken off", "[ch12]") {
    CHECK(tokens_of_file("a\nb\n") == Strings{"a", "b"});
    CHECK(tokens_of_file("a\nb") == Strings{"a", "b"});
    CHECK(tokens_of_file("a\r\nb\r\n") == Strings{"a", "b"});
    CHECK(tokens_of_file(" a\t\n##b \n") == Strings{" a\t", "##b "});
    // ufal/neuralmonkey#555; thunlp/OpenCLaP#1 (VOC-04).
    CHECK(tokens_of_file("\u00A0\n\u3000\n\u2028\n\u0085\na\vb\n") ==
          Strings{"\u00A0", "\u3000", "\u2028", "\u0085", "a\vb"});
}

// NMZivkovic/BertTokenizers#24 (VOC-01).
TEST_CASE("WordPieceVocabulary: a file with CRLF has the same ids", "[ch12]") {
    std::string bytes;
    const WordPieceVocabulary mini = mini_vocabulary();
    for (const std::string& token : mini.tokens())
        bytes += token + "\r\n";
    const WordPieceVocabulary vocabulary = WordPieceVocabulary::parse("vocab_crlf.txt", bytes);
    CHECK(vocabulary.tokens() == mini_vocabulary().tokens());
    CHECK(ids_of(Tokenizer{vocabulary}("the cat")) == Ids{120, 121});
}

TEST_CASE("WordPieceVocabulary: bad files are refused with the number of the line", "[ch12]") {
    check_refused_file("", "vocab.txt: line 1: no tokens (found an empty file, expected a token)");
    check_refused_file("\n", "vocab.txt: line 1: no token (found an empty line");
    check_refused_file("\n\n\n", "line 1: no token");
    check_refused_file("a\n\nb\n", "line 2: no token");
    check_refused_file("a\r\n\r\n", "line 2: no token");
    check_refused_file("a\nb\na\n", "line 3: a token twice (found \"a\" as on line 1");
    check_refused_file("a\n##\n", "line 2: a piece without letters (found \"##\"");
    check_refused_file("a\n" + std::string(1001, 'x') + "\n",
                       "line 2: the token is too long (found 1001 bytes, expected at most 1000)");
    check_refused_file(std::string("a\nb\0c\n", 6), "line 2: the token has a zero byte");
    check_refused_file("a\nb\xFF\n", "line 2: the token is not UTF-8 (found \"b\\xff\"");
    check_refused_file("a\n\xED\xA0\x80\n", "line 2: the token is not UTF-8");
    check_refused_file("\xEF\xBB\xBF[PAD]\na\n", "line 1: a byte order mark");
    check_refused_file("a\r\r\n", "line 1: the token has the end of a line in it");
    CHECK(tokens_of_file(std::string(1000, 'x')).size() == 1);
}

TEST_CASE("WordPieceVocabulary: at most a million tokens", "[ch12]") {
    std::string bytes;
    for (int i = 0; i < 1'000'000; ++i)
        bytes += std::to_string(i) + "\n";
    CHECK(WordPieceVocabulary::parse("vocab.txt", bytes).size() == 1'000'000);
    check_refused_file(bytes + "x\n", "line 1000001: too many tokens");
    const std::filesystem::path path = scratch_folder("ch12_large") / "vocab.txt";
    write_file(path.string(), "a\n");
    std::filesystem::resize_file(path, (std::uintmax_t{32} << 20) + 1);
    CHECK_THROWS_AS(WordPieceVocabulary::read(path.string()), FileError);
}

// ggml-org/llama.cpp#7795; huggingface/transformers#2020; OpenNMT/OpenNMT-tf#910 (VOC-05).
TEST_CASE("WordPieceVocabulary: the last of two wins where that is asked for", "[ch12]") {
    const std::string bytes = special_lines + "a\nb\na\nc\n";
    const auto vocabulary =
        WordPieceVocabulary::parse("vocab_dup.txt", bytes, Duplicates::last_wins);
    CHECK(vocabulary.size() == 9);
    CHECK(vocabulary.find("a") == 7);
    CHECK(vocabulary.token(5) == "a");
    CHECK(ids_of(Tokenizer{vocabulary}("a b")) == Ids{7, 6});
    CHECK(Tokenizer{vocabulary}.decode(Ids{5, 6}) == "a b");
}

TEST_CASE("WordPieceVocabulary: the constructor refuses what read refuses", "[ch12]") {
    for (const std::string& bad : {std::string{}, std::string{"##"}, std::string{"a\nb"},
                                   std::string{"a\r"}, std::string{"\xFF"}, std::string(1001, 'x')})
        CHECK_THROWS_AS(WordPieceVocabulary{Strings{bad}}, std::invalid_argument);
    CHECK_THROWS_WITH((WordPieceVocabulary{Strings{"a", "b", "a"}}),
                      ContainsSubstring("token 2: a token twice (found \"a\" as on line 1"));
}

TEST_CASE("WordPieceVocabulary: written and read it is the same", "[ch12]") {
    const std::string path = (scratch_folder("ch12_written") / "vocab.txt").string();
    mini_vocabulary().write(path);
    CHECK(WordPieceVocabulary::read(path).tokens() == mini_vocabulary().tokens());
    CHECK_THROWS_AS(WordPieceVocabulary::read(path + ".not"), IoError);
    CHECK_THROWS_AS(WordPieceVocabulary::read("/"), FileError);
}

// huggingface/tokenizers#168, #261 (VOC-07).
TEST_CASE("Tokenizer: a vocabulary without a special token is refused", "[ch12]") {
    const WordPieceVocabulary mini = mini_vocabulary();
    for (const std::string& token : Strings{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
        Strings tokens;
        std::string bytes;
        for (const std::string& other : mini.tokens()) {
            if (other == token) continue;
            tokens.push_back(other);
            bytes += other + "\n";
        }
        CHECK_THROWS_AS(Tokenizer{WordPieceVocabulary{tokens}}, std::invalid_argument);
        CHECK_THROWS_WITH(Tokenizer{WordPieceVocabulary{tokens}}, ContainsSubstring(token));
        const std::string path = (scratch_folder("ch12_missing") / "vocab.txt").string();
        write_file(path, bytes);
        CHECK_THROWS_AS(Tokenizer::from_files(path), FileError);
        CHECK_THROWS_WITH(
            Tokenizer::from_files(path),
            ContainsSubstring("a special token is missing (found 227 others, expected \"" + token));
    }
}
