#include "ch15_pretraining/corpus.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "common/io/file_error.hpp"
#include "common/io/sha256.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/threads.hpp"

using namespace bert;
using namespace bert::test;
namespace fs = std::filesystem;

namespace {

Tokenizer some_tokenizer() {
    return Tokenizer{WordPieceVocabulary{
        {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c", "##c", "."}}};
}

// A corpus as text: "5 6|7" is a document of two sentences, "/" stands between documents.
std::string shown_as_text(const TokenCorpus& corpus) {
    std::string text;
    for (std::size_t d = 0; d < corpus.documents(); ++d) {
        text += d == 0 ? "" : "/";
        const SentenceRange range = corpus.document(d);
        for (std::uint64_t s = range.begin; s < range.end; ++s) {
            text += s == range.begin ? "" : "|";
            for (const TokenId id : corpus.sentence(s))
                text += std::to_string(id);
        }
    }
    return text;
}

class Corpus {
  public:
    explicit Corpus(const std::string& name) : folder_(scratch_folder("corpus-" + name)) {}

    std::string file(std::string_view text, const std::string& name = "corpus.txt") const {
        const fs::path path = folder_ / name;
        fs::remove(path);
        std::ofstream{path, std::ios::binary} << text;
        return path.string();
    }

    CorpusText read(std::string_view text) const {
        return read_corpus({file(text)}, some_tokenizer(), folder_.string());
    }

    std::string fault(std::string_view text) const {
        try {
            read(text);
            return "";
        } catch (const FileError& e) {
            const std::string message = e.what();
            const std::string path = (folder_ / "corpus.txt").string() + ": ";
            REQUIRE(message.starts_with(path));
            return message.substr(path.size());
        }
    }

    std::string folder() const { return folder_.string(); }

  private:
    fs::path folder_;
};

}  // namespace

TEST_CASE("read_corpus: one sentence a line and a blank line between documents", "[ch15]") {
    const Corpus corpus{"lines"};
    CHECK(shown_as_text(corpus.read("a b.\nc\n\nb\nac").corpus) == "569|7/6|58");
    CHECK(shown_as_text(corpus.read("a b.\r\nc\r\n\r\nb\r\nac\r\n").corpus) == "569|7/6|58");
    CHECK(shown_as_text(corpus.read("\n\n \t\n a\n b \n \n\n\nc\na\n\n\n").corpus) == "5|6/7|5");
    // A line of characters that the tokenizer takes out is no sentence, but no blank line either.
    CHECK(shown_as_text(corpus.read("a\n\xe2\x80\x8b\nb\n\nc\n").corpus) == "5|6/7");
    CHECK(shown_as_text(corpus
                            .read("\xef\xbb\xbf"
                                  "a\nb\n\nc\n")
                            .corpus) == "5|6/7");
    const CorpusText text = corpus.read("a b.\nc\n\nb");
    CHECK(text.corpus.documents() == 2);
    CHECK(text.corpus.sentences() == 3);
    CHECK(text.corpus.tokens() == 5);
    CHECK(text.corpus.document(1) == SentenceRange{2, 3});
    text.corpus.release();
    CHECK(shown_as_text(text.corpus) == "569|7/6");
    CHECK(std::distance(fs::directory_iterator{corpus.folder()}, {}) == 1);  // the corpus alone
}

TEST_CASE("read_corpus: a file ends a document and each has its sum", "[ch15]") {
    const Corpus corpus{"files"};
    const std::vector<std::string> paths = {corpus.file("a\nb", "1"), corpus.file("c\na\n", "2")};
    std::uint64_t done = 0;
    const CorpusText text =
        read_corpus(paths, some_tokenizer(), corpus.folder(),
                    [&](std::uint64_t so_far, std::uint64_t total, std::string_view) {
                        CHECK(so_far > done);
                        done = so_far;
                        CHECK(total == 7);
                    });
    CHECK(done == 7);
    CHECK(shown_as_text(text.corpus) == "5|6/7|5");
    CHECK(text.sha256 == std::vector<std::string>{sha256("a\nb"), sha256("c\na\n")});
    CHECK_THROWS_AS(read_corpus({}, some_tokenizer(), corpus.folder()), std::invalid_argument);
    CHECK_THROWS_AS(read_corpus({corpus.folder() + "/none"}, some_tokenizer(), corpus.folder()),
                    IoError);
    CHECK_THROWS_AS(read_corpus({corpus.folder()}, some_tokenizer(), corpus.folder()), FileError);
}

TEST_CASE("read_corpus: a corpus that gives no pair is refused", "[ch15]") {
    const Corpus corpus{"refused"};
    CHECK_THAT(corpus.fault(""), ContainsSubstring("the corpus has no sentences (found 0 sentences "
                                                   "in 0 documents"));
    CHECK_THAT(corpus.fault("\n \n\r\n\n"), ContainsSubstring("the corpus has no sentences"));
    CHECK_THAT(corpus.fault("a b.\n"), ContainsSubstring("found 1 sentence in 1 document,"));
    CHECK_THAT(corpus.fault("a\nb\nc\n"),
               ContainsSubstring("there is none (found 3 sentences in 1 document, expected at "
                                 "least 2 documents, a blank line between them)"));
    CHECK_THAT(corpus.fault("a\n\nb\n\nc\n"), ContainsSubstring("no sentence has a next one"));
    CHECK(corpus.fault("a\n\nb\nc\n").empty());
}

TEST_CASE("read_corpus: what is no text is refused with its byte", "[ch15]") {
    const Corpus corpus{"binary"};
    CHECK_THAT(corpus.fault({"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16}),
               ContainsSubstring("byte 8: not UTF-8 text"));
    CHECK_THAT(corpus.fault({"\xff\xfe"
                             "a\0b\0\n\0",
                             8}),
               ContainsSubstring("byte 3: not UTF-8 text"));
    CHECK_THAT(corpus.fault("a\xff\xff\xff b\n\nc\na\n"),
               ContainsSubstring("byte 1: not UTF-8 text (found 3 bad parts in 12 bytes"));
}

TEST_CASE("read_corpus: a little bad UTF-8 is read as U+FFFD and counted", "[ch15]") {
    const Corpus corpus{"utf8"};
    std::string text = "a \xff b\n\n";
    for (int i = 0; i < 100; ++i)
        text += "a b.\n";
    const CorpusText read = corpus.read(text);
    CHECK(read.bad_utf8 == 1);
    CHECK(shown_as_text(read.corpus).starts_with("56/569|569"));
    CHECK(corpus.read("a\nb\n\nc").bad_utf8 == 0);
}

TEST_CASE("read_corpus: a line over the limit is refused with its number", "[ch15]") {
    const Corpus corpus{"long"};
    const std::string longest(most_sentence_bytes, ' ');
    CHECK(corpus.fault("a\nb\n" + longest + "\nc\na\n").empty());
    CHECK(corpus.fault("a\nb\n\n" + longest.substr(1) + "c").empty());
    const std::string words = "a\nb\n\n" + longest + "c\nc\n";
    CHECK_THAT(corpus.fault(words), ContainsSubstring("line 4: too long (found more than 1048576 "
                                                      "bytes, expected at most 1048576"));
    CHECK_THAT(corpus.fault("a\n" + std::string(3 * most_sentence_bytes, 'b')),
               ContainsSubstring("line 2: too long"));
    CHECK_THAT(corpus.fault(std::string(40 * most_sentence_bytes, 'b')),
               ContainsSubstring("found"));
}

TEST_CASE("read_corpus: threads and blocks change nothing", "[ch15]") {
    const Corpus corpus{"threads"};
    std::string text;
    std::string expected;
    for (int i = 0; text.size() < (std::size_t{5} << 20); ++i) {
        const bool ends = i % 7 == 6;
        text += "a b c.";
        text += ends ? "\n\n" : "\n";
        expected += "5679";
        expected += ends ? "/" : "|";
    }
    expected.pop_back();
    for (const int threads : {1, 2}) {
        const ThreadsGuard guard{threads};
        const CorpusText read = corpus.read(text);
        CHECK((shown_as_text(read.corpus) == expected));
        CHECK(read.sha256.front() == sha256(text));
    }
}

TEST_CASE("read_corpus: many lines take no memory", "[ch15]") {
    if constexpr (sanitized) return;  // they keep what is freed
    const Corpus corpus{"memory"};
    const auto largest = [] {
        struct rusage usage {};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss / 1024;
    };
    std::string text = "a\nb\n\n";
    text += std::string(std::size_t{60} << 20, '\n');
    const std::string path = corpus.file(text + "c\n");
    text = {};
    const auto before = largest();
    CHECK(read_corpus({path}, some_tokenizer(), corpus.folder()).corpus.documents() == 2);
    CHECK(largest() - before < 64);
}
