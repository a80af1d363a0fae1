#include "ch09_translation/parallel_text.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Lines = std::vector<std::string>;

std::string file_with(const std::filesystem::path& folder, const std::string& name,
                      const std::string& content) {
    const std::filesystem::path path = folder / name;
    std::ofstream{path, std::ios::binary} << content;
    return path.string();
}

}  // namespace

TEST_CASE("words_of: splits at blanks of any number", "[ch09]") {
    CHECK(words_of("je n' aime pas") == Lines{"je", "n'", "aime", "pas"});
    CHECK(words_of("  a\t b \r") == Lines{"a", "b"});
    CHECK(words_of("a\v\f\nb") == Lines{"a", "b"});
    CHECK(words_of("étudiant") == Lines{"étudiant"});
    CHECK(words_of("").empty());
    CHECK(words_of(" \t ").empty());
}

TEST_CASE("read_sentences: LF and CRLF and a last line without either", "[ch09]") {
    const auto folder = scratch_folder("sentences");
    const Lines joined = {"je suis étudiant", "il lit"};
    CHECK(read_sentences(file_with(folder, "a", "je suis étudiant\nil lit\n")) == joined);
    CHECK(read_sentences(file_with(folder, "b", "je suis étudiant\r\nil lit\r\n")) == joined);
    CHECK(read_sentences(file_with(folder, "c", "je suis étudiant\nil lit")) == joined);
    CHECK(read_sentences(file_with(folder, "d", " je \t suis étudiant\n il  lit ")) == joined);
}

TEST_CASE("read_sentences: refuses what is no text of sentences", "[ch09]") {
    const auto folder = scratch_folder("sentences");
    const auto refused = [&folder](const std::string& content, const std::string& message) {
        const std::string path = file_with(folder, "text", content);
        CHECK_THROWS_AS(read_sentences(path), FileError);
        CHECK_THROWS_WITH(read_sentences(path), ContainsSubstring(path + ": " + message));
    };
    refused("", "file: the corpus is empty (found 0 lines, expected at least 1)");
    refused("a\n\nb\n", "line 2: a sentence of length zero (found no word, expected at least one)");
    refused("a\nb\n \t\r\n", "line 3: a sentence of length zero");
    refused("\n", "line 1: a sentence of length zero");
    refused("a\nb \xC3\n", "line 2: cannot be read as text (found bytes that are not UTF-8");
    CHECK_THROWS_AS(read_sentences((folder / "absent").string()), IoError);
    CHECK_THROWS_AS(read_sentences(folder.string()), FileError);
}

TEST_CASE("read_sentences: refuses a file that is too large", "[ch09]") {
    const auto folder = scratch_folder("sentences");
    const std::string large = file_with(folder, "large", "a\n");
    std::filesystem::resize_file(large, most_corpus_bytes + 1);  // a hole: takes no space
    CHECK_THROWS_WITH(read_sentences(large),
                      ContainsSubstring("is too large (found 67108865 bytes"));
    std::string lines;
    for (std::size_t i = 0; i < most_corpus_lines; ++i)
        lines += "a\n";
    CHECK(read_sentences(file_with(folder, "most", lines)).size() == most_corpus_lines);
    CHECK_THROWS_WITH(read_sentences(file_with(folder, "long", lines + "a\n")),
                      ContainsSubstring("line 1000001: the file is too long"));
}

TEST_CASE("read_parallel_text: pairs line by line", "[ch09]") {
    const auto folder = scratch_folder("parallel");
    const auto pairs = read_parallel_text(file_with(folder, "fr", "je dors\nil lit\n"),
                                          file_with(folder, "en", "i sleep\r\nhe reads\r\n"));
    CHECK(pairs == std::vector<SentencePair>{{"je dors", "i sleep"}, {"il lit", "he reads"}});
}

TEST_CASE("read_parallel_text: refuses different numbers of lines and names both", "[ch09]") {
    const auto folder = scratch_folder("parallel");
    const std::string one = file_with(folder, "one", "a\n");
    const std::string two = file_with(folder, "two", "a\nb\n");
    CHECK_THROWS_AS(read_parallel_text(one, two), FileError);
    CHECK_THROWS_WITH(read_parallel_text(one, two),
                      ContainsSubstring(two + ": file: is not a translation line by line of " +
                                        one + " (found 2 lines, expected 1 line)"));
    CHECK_THROWS_WITH(read_parallel_text(two, one),
                      ContainsSubstring("(found 1 line, expected 2 lines)"));
    CHECK_THROWS_AS(read_parallel_text(one, (folder / "absent").string()), IoError);
}
