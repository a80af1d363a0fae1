#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "ch12_wordpiece/text_blocks.hpp"
#include "ch15_pretraining/corpus.hpp"
#include "common/io/file_error.hpp"
#include "common/io/sha256.hpp"
#include "common/tensor/first_error.hpp"

namespace bert {

namespace {

using Tokens = std::vector<TokenId>;

bool is_blank(std::string_view line) {
    return std::all_of(line.begin(), line.end(), is_ascii_blank);
}

Tokens tokens_of(const Tokenizer& tokenizer, std::string_view line) {
    Tokens ids;
    for (const Piece& piece : tokenizer(line))
        ids.push_back(piece.id);
    return ids;
}

[[noreturn]] void refuse_line(const std::string& path, std::uint64_t number) {
    throw FileError{path, fmt::format("line {}", number), "too long",
                    fmt::format("more than {} bytes", most_sentence_bytes),
                    fmt::format("at most {}, one sentence", most_sentence_bytes)};
}

/// The lines of one file, in the parts that its blocks complete.
class CorpusFile {
  public:
    explicit CorpusFile(const std::string& path) : path_(path), blocks_(path) {}

    std::uint64_t bad_utf8() const { return blocks_.bad_utf8(); }
    std::string sha256() { return sum_.digits(); }

    /// Reads on; false at the end. lines() are then those that were completed.
    bool next() {
        text_.erase(0, used_);
        used_ = 0;
        lines_.clear();
        const std::optional<std::string> block = blocks_.next();
        if (!block && text_.empty()) return false;
        if (block) {
            sum_.add(*block);
            text_ += *block;
        }
        split(!block);
        return true;
    }

    const std::vector<std::string_view>& lines() const { return lines_; }
    std::size_t used() const { return used_; }

  private:
    void split(bool is_end) {
        const std::string_view text = text_;
        while (used_ < text.size()) {
            const std::size_t end = std::min(text.find('\n', used_), text.size());
            if (end - used_ > most_sentence_bytes) refuse_line(path_, number_ + 1);
            if (end == text.size() && !is_end) return;
            lines_.push_back(text.substr(used_, end - used_));
            used_ = std::min(end + 1, text.size());
            ++number_;
        }
    }

    std::string path_;
    TextBlocks blocks_;
    Sha256 sum_;
    std::string text_;  // the lines at hand, and behind them the beginning of the next one
    std::size_t used_ = 0;
    std::vector<std::string_view> lines_;
    std::uint64_t number_ = 0;  // of lines so far
};

void add_lines(TokenCorpus& corpus, const std::vector<std::string_view>& lines,
               const Tokenizer& tokenizer) {
    std::vector<Tokens> tokens(lines.size());
    FirstError error;
#pragma omp parallel for schedule(dynamic, 64) if (lines.size() > 64)
    for (std::size_t i = 0; i < lines.size(); ++i)
        error.guard([&, i] { tokens[i] = tokens_of(tokenizer, lines[i]); });
    error.rethrow();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (is_blank(lines[i]))
            corpus.end_document();
        else
            corpus.add_sentence(tokens[i]);
    }
}

std::uint64_t total_size(const std::vector<std::string>& paths) {
    std::uint64_t total = 0;
    for (const std::string& path : paths) {
        std::error_code fault;
        const std::uintmax_t size = std::filesystem::file_size(path, fault);
        total += fault ? 0 : size;
    }
    return total;
}

bool has_two_sentences(const TokenCorpus& corpus) {
    for (std::size_t d = 0; d < corpus.documents(); ++d)
        if (corpus.document(d).size() >= 2) return true;
    return false;
}

void require_pairs(const TokenCorpus& corpus, const std::vector<std::string>& paths) {
    const std::string more = paths.size() == 1 ? "" : fmt::format(" and {} more", paths.size() - 1);
    const auto refuse = [&](const char* what, const char* expected) {
        const auto count = [](std::uint64_t n, const char* name) {
            return fmt::format("{} {}{}", n, name, n == 1 ? "" : "s");
        };
        throw FileError{
            paths.front() + more, "file", what,
            count(corpus.sentences(), "sentence") + " in " + count(corpus.documents(), "document"),
            expected};
    };
    if (corpus.sentences() == 0)
        refuse("the corpus has no sentences", "at least 2 documents, one sentence a line");
    if (corpus.documents() == 1)
        refuse("a random next sentence is from another document, and there is none",
               "at least 2 documents, a blank line between them");
    if (!has_two_sentences(corpus))
        refuse("no sentence has a next one", "a document of at least 2 sentences");
}

}  // namespace

CorpusText read_corpus(const std::vector<std::string>& paths, const Tokenizer& tokenizer,
                       const std::string& scratch_folder, const CorpusProgress& progress) {
    if (paths.empty()) throw std::invalid_argument{"read_corpus: no files (expected at least 1)"};
    CorpusText text{TokenCorpus{scratch_folder}, {}};
    const std::uint64_t total = total_size(paths);
    std::uint64_t done = 0;
    for (const std::string& path : paths) {
        CorpusFile file{path};
        while (file.next()) {
            add_lines(text.corpus, file.lines(), tokenizer);
            done += file.used();
            if (progress) progress(std::min(done, total), total, path);
        }
        text.corpus.end_document();
        text.sha256.push_back(file.sha256());
        text.bad_utf8 += file.bad_utf8();
    }
    text.corpus.seal();
    require_pairs(text.corpus, paths);
    return text;
}

}  // namespace bert
