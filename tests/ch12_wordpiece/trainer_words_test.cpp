#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ch12_wordpiece/normalise.hpp"
#include "ch12_wordpiece/source_text.hpp"
#include "ch12_wordpiece/split_words.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "ch12_wordpiece/vocabulary_trainer.hpp"
#include "ch12_wordpiece/word_counts.hpp"
#include "common/io/file_error.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

std::string file_with(const std::string& name, const std::string& content) {
    const std::filesystem::path path = scratch_folder("corpus_" + name) / name;
    std::ofstream{path, std::ios::binary} << content;
    return path.string();
}

WordCounts words_of(const std::string& text, const TokenizerOptions& options = {}) {
    return count_words({file_with("text", text)}, options).words;
}

// By the steps of the chapter, one after the other.
WordCounts plain_words_of(const std::string& text) {
    SourceText characters = source_text(text);
    normalise(characters, {});
    WordCounts words;
    for (const auto& [begin, end] : split_words(characters)) {
        const auto first = characters.begin();
        ++words[to_utf8({first + static_cast<std::ptrdiff_t>(begin),
                         first + static_cast<std::ptrdiff_t>(end)})];
    }
    return words;
}

// Lines of words, some with marks that the tokenizer splits off, takes away or changes.
std::vector<std::string> random_lines(std::size_t count) {
    const std::vector<std::string> words = {
        "the",    "The",    "cat,",   "CAFÉ", "e\u0301tude", "“quoted”", "don't", "中文字", "12:30",
        "[MASK]", "naïve;", "x\x01y", "ﬁn",   "--dash",      "a\u00A0b", "ΟΔΟΣ",  "a\xFFz"};
    Random random{1204};
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < count; ++i) {
        std::string line;
        for (std::uint64_t w = random.below(30); w > 0; --w) {
            line += words[random.below(words.size())];
            line += random.below(9) == 0 ? std::to_string(random.below(2000)) + " " : " ";
        }
        lines.push_back(line);
    }
    return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

std::string without_masks(std::string text) {
    for (std::size_t at = 0; (at = text.find("[MASK]", at)) != std::string::npos;)
        text[at] = '(';
    return text;
}

}  // namespace

TEST_CASE("count_words: words as the tokenizer makes them", "[ch12]") {
    CHECK(words_of("The café, THE cafe\u0301!") ==
          WordCounts{{"the", 2}, {"cafe", 2}, {",", 1}, {"!", 1}});
    CHECK(words_of("中文 x\x01y a\xFF" + std::string(99, '\n')) ==
          WordCounts{{"中", 1}, {"文", 1}, {"xy", 1}, {"a", 1}});
    TokenizerOptions cased;
    cased.lower_case = false;
    CHECK(words_of("The Café", cased) == WordCounts{{"The", 1}, {"Café", 1}});
    cased.strip_accents = true;
    cased.space_chinese = false;
    CHECK(words_of("The Café 中文", cased) == WordCounts{{"The", 1}, {"Cafe", 1}, {"中文", 1}});
}

TEST_CASE("count_words: special tokens are no words", "[ch12]") {
    CHECK(words_of("a[MASK]b [SEP] [CLS][UNK]c [PAD]") == WordCounts{{"a", 1}, {"b", 1}, {"c", 1}});
    CHECK(words_of("[mask]") == WordCounts{{"[", 1}, {"mask", 1}, {"]", 1}});
    TokenizerOptions options;
    options.mask_token = "<m>";
    options.additional_special_tokens = {"<m>x", "<"};
    CHECK(words_of("a<m>xb<m>c<d", options) == WordCounts{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
}

TEST_CASE("count_words: equals the words of the text in one piece", "[ch12]") {
    const std::string text = without_masks(text_of(random_lines(60'000)));
    REQUIRE(text.size() > 5'000'000);  // several blocks
    const CorpusWords counted = count_words({file_with("large", text)}, {});
    CHECK(counted.words == plain_words_of(text));
    CHECK(counted.bytes == text.size());
    CHECK(counted.bad_utf8 ==
          static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\xFF')));
}

TEST_CASE("count_words: neither threads nor the order of lines and files matter", "[ch12]") {
    std::vector<std::string> lines = random_lines(30'000);
    const std::string first = file_with("first", text_of(lines));
    Random random{1205};
    random.shuffle(std::span{lines});
    const auto middle = lines.begin() + 9'000;
    const std::string second = file_with("second", text_of({lines.begin(), middle}));
    const std::string third = file_with("third", text_of({middle, lines.end()}));
    VocabularyTraining options;
    options.size = 700;
    const auto tokens = [&](const std::vector<std::string>& paths) {
        return train_wordpiece(count_words(paths, {}).words, options).tokens;
    };
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto expected = tokens({first});
    const WordCounts expected_words = count_words({first}, {}).words;
    for (const int count : {1, 2, 3}) {
        omp_set_num_threads(count);
        CHECK(count_words({first}, {}).words == expected_words);
        CHECK(count_words({third, second}, {}).words == expected_words);
        CHECK(tokens({second, third}) == expected);
    }
    omp_set_num_threads(threads);
}

TEST_CASE("count_words: as many words as the tokenizer finds", "[ch12]") {
    const std::string text = without_masks(text_of(random_lines(500)));
    const CorpusWords counted = count_words({file_with("words", text)}, {});
    std::uint64_t total = 0;
    for (const auto& [word, count] : counted.words)
        total += count;
    VocabularyTraining options;
    options.size = 300;
    const Tokenizer tokenizer{WordPieceVocabulary{train_wordpiece(counted.words, options).tokens}};
    const std::vector<Piece> pieces = tokenizer(text);
    CHECK(static_cast<std::uint64_t>(pieces.back().word) + 1 == total);
    // Every character was seen.
    CHECK(std::none_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
        return piece.id == tokenizer.special().unknown;
    }));
}

TEST_CASE("count_words: long parts without a blank", "[ch12]") {
    std::string chinese;
    for (int i = 0; i < 50; ++i)
        chinese += "中文";
    CHECK(count_words({file_with("chinese", chinese)}, {}).words ==
          WordCounts{{"中", 50}, {"文", 50}});
    // Over one block, and the last word has no line end.
    const std::string letters = std::string(1'500'000, 'a') + "," + std::string(1'500'000, 'b');
    const CorpusWords counted = count_words({file_with("letters", letters + " end")}, {});
    CHECK(counted.words == WordCounts{{",", 1}, {"end", 1}});
    CHECK(counted.too_long == 2);
    const std::string path =
        file_with("unbroken", "word " + std::string(most_bytes_without_blank + 10, 'a') + " b");
    CHECK_THROWS_AS(count_words({path}, {}), FileError);
    CHECK_THROWS_WITH(count_words({path}, {}),
                      ContainsSubstring(path + ": byte 5: no words (found ") &&
                          ContainsSubstring("bytes without a blank or line end, expected fewer "
                                            "than 4194304)"));
}

TEST_CASE("count_words: takes time in proportion to special tokens in one part", "[ch12]") {
    std::string text;
    for (int i = 0; i < 500'000; ++i)
        text += "[MASK]";
    CHECK(count_words({file_with("masks", text + "a")}, {}).words == WordCounts{{"a", 1}});
}

TEST_CASE("count_words: reports progress", "[ch12]") {
    const std::string a = file_with("a", "one two\n");
    const std::string b = file_with("b", "three\n");
    std::vector<std::string> calls;
    count_words({a, b}, {}, [&](std::uint64_t done, std::uint64_t total, std::string_view path) {
        calls.push_back(std::to_string(done) + "/" + std::to_string(total) + std::string{path});
    });
    CHECK(calls == std::vector<std::string>{"8/14" + a, "14/14" + b});
}

TEST_CASE("count_words: files without a usable word are refused", "[ch12]") {
    for (const std::string content : {"", "\n\n\n", " \t\r\n", "\x01\x02"}) {
        const std::string path = file_with("empty", content);
        CHECK_THROWS_AS(count_words({path}, {}), FileError);
        CHECK_THROWS_WITH(
            count_words({path}, {}),
            ContainsSubstring(path + ": file: the corpus has no words (found 0 usable "
                                     "words, expected at least 1)"));
        CHECK_THROWS_WITH(count_words({path, path, path}, {}),
                          ContainsSubstring(path + " and 2 more: file: "));
    }
    CHECK_THROWS_AS(count_words({file_with("long", std::string(101, 'a'))}, {}), FileError);
    CHECK_THROWS_AS(count_words({}, {}), std::invalid_argument);
    CHECK(count_words({file_with("one", "a")}, {}).words == WordCounts{{"a", 1}});
}

TEST_CASE("count_words: files that are no text are refused", "[ch12]") {
    using namespace std::string_literals;
    const auto refused = [](const std::string& content, const std::string& message) {
        const std::string path = file_with("binary", content);
        CHECK_THROWS_AS(count_words({path}, {}), FileError);
        CHECK_THROWS_WITH(count_words({path}, {}), ContainsSubstring(path + message));
    };
    refused("word\n\x89PNG\r\n\x1A\n\0\0\0\rIHDR"s,
            ": byte 13: not UTF-8 text (found a zero byte, expected text)");
    refused("\xFF\xFEt\0h\0e\0"s, ": byte 3: not UTF-8 text (found a zero byte");
    refused("a \xE9t\xE9 " + std::string(192, 'x') + "\n",
            ": byte 2: not UTF-8 text (found 2 bad parts in 199 bytes, expected at most 1 in 100)");
    const std::string tolerated = file_with("latin", "a \xE9t\xE9 b" + std::string(193, '\n'));
    CHECK(count_words({tolerated}, {}).bad_utf8 == 2);
    CHECK(count_words({tolerated}, {}).words == WordCounts{{"a", 1}, {"t", 1}, {"b", 1}});
}

TEST_CASE("count_words: a bad part is found by its place in the whole file", "[ch12]") {
    std::string text;
    for (int i = 0; i < 300'000; ++i)
        text += "word ";
    const std::string good = text;
    for (int i = 0; i < 20'000; ++i)
        text += "\xFF ";
    CHECK_THROWS_WITH(count_words({file_with("late", text)}, {}),
                      ContainsSubstring("byte " + std::to_string(good.size()) + ": "));
}

TEST_CASE("count_words: a path that does not open is refused", "[ch12]") {
    CHECK_THROWS_AS(count_words({"no/such/file"}, {}), IoError);
    CHECK_THROWS_AS(count_words({std::filesystem::temp_directory_path().string()}, {}), FileError);
}
