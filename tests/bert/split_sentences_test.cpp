// bert split-sentences: prose to what bert make-data reads.
#include <string>

#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;
namespace fs = std::filesystem;

namespace {

const char* const some_prose =
    "A TITLE\n\nCHAPTER I\n\nThe cat\nsat. \"Where?\" said the dog.\n\nOn a mat.\n\n"
    "CHAPTER II\n\nTime flies like\nan arrow. Flies like a cat.\n\nFINIS\n";
const char* const its_corpus =
    "The cat sat.\n\"Where?\" said the dog.\nOn a mat.\n\n"
    "Time flies like an arrow.\nFlies like a cat.\n";

Outcome split(const fs::path& folder, const std::string& arguments) {
    return program(folder, "bert", "split-sentences " + arguments);
}

}  // namespace

TEST_CASE("bert split-sentences: one sentence a line and a document a chapter", "[bert]") {
    const fs::path folder = scratch_folder("split-sentences");
    write(folder / "novel.txt", some_prose);
    const Outcome outcome = split(folder, "novel.txt");
    CHECK(outcome.code == 0);
    CHECK(outcome.out == its_corpus);
    CHECK_THAT(outcome.err, ContainsSubstring("2 documents, 5 sentences"));
    write(folder / "second.txt", "One more. And one.\n");
    CHECK(split(folder, "--quiet --out corpus.txt novel.txt second.txt").err.empty());
    CHECK(content(folder / "corpus.txt") == std::string{its_corpus} + "\nOne more.\nAnd one.\n");
    write(folder / "vocab.txt", tiny_vocabulary);
    const Outcome made = bert_in(folder, "make-data", "--out data --max-length 16 corpus.txt");
    CHECK(made.code == 0);
    CHECK_THAT(made.err, ContainsSubstring("7 sentences in 3 documents"));
}

TEST_CASE("bert split-sentences: refuses what it cannot split", "[bert]") {
    const fs::path folder = scratch_folder("split-sentences-bad");
    write(folder / "novel.txt", some_prose);
    check_refused(split(folder, ""), 2, "no FILE to split");
    check_refused(split(folder, "--out novel.txt novel.txt"), 2, "is the input");
    check_refused(split(folder, "none.txt"), 4, "none.txt");
    write(folder / "binary", std::string_view{"One\0two", 7});
    check_refused(split(folder, "binary"), 3, "binary: byte 3: not UTF-8 text");
    CHECK(content(folder / "novel.txt") == some_prose);
}
