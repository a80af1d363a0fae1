// A corpus as token ids: documents of sentences.
//
// The text has one sentence a line and a blank line between documents; a file ends a document too.
// It is tokenized once, and the ids go to files without a name (scratch_file.hpp): a corpus may be
// larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "common/io/scratch_file.hpp"

namespace bert {

constexpr std::size_t most_sentence_bytes = std::size_t{1} << 20;  // of a line of text

/// Sentences [begin, end) of a corpus.
struct SentenceRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t size() const { return end - begin; }
    bool operator==(const SentenceRange&) const = default;
};

/// First sentences and documents are added; after seal() they are looked at.
class TokenCorpus {
  public:
    /// The folder is where the temporary files lie. Throws IoError, as every function that adds.
    explicit TokenCorpus(const std::string& folder);

    /// To the document at hand. A sentence without tokens is none.
    void add_sentence(std::span<const TokenId> tokens);
    /// A document without sentences is none.
    void end_document();
    /// Ends the last document.
    void seal();

    std::size_t documents() const { return document_ends_.size(); }
    std::uint64_t sentences() const { return sentence_ends_.size(); }
    std::uint64_t tokens() const { return ids_.size(); }

    /// After seal(), for numbers below documents() and sentences().
    SentenceRange document(std::size_t number) const;
    std::span<const TokenId> sentence(std::uint64_t number) const;
    /// Memory of what was looked at goes back.
    void release() const;

  private:
    ScratchNumbers<TokenId> ids_;
    ScratchNumbers<std::uint64_t> sentence_ends_;  // in ids_
    ScratchNumbers<std::uint64_t> document_ends_;  // in sentence_ends_
    std::uint64_t ended_ = 0;                      // sentences of documents that are complete
    std::span<const TokenId> mapped_ids_;
    std::span<const std::uint64_t> mapped_sentences_;
    std::span<const std::uint64_t> mapped_documents_;
};

struct CorpusText {
    TokenCorpus corpus;
    std::vector<std::string> sha256;  // of each file
    std::uint64_t bad_utf8 = 0;       // parts that are not UTF-8, read as U+FFFD
};

/// Bytes done, bytes in all, and the file at hand.
using CorpusProgress =
    std::function<void(std::uint64_t done, std::uint64_t total, std::string_view path)>;

/// Reads the files in their order, in parallel; the number of threads changes nothing.
///
/// Throws IoError when a file does not open. Throws FileError for one that is no text (a zero byte,
/// or more bad UTF-8 than one part in 100 bytes), with the number of a line that is longer than
/// most_sentence_bytes, and for a corpus that gives no example: without sentences, with one
/// document only, or with one sentence in each.
CorpusText read_corpus(const std::vector<std::string>& paths, const Tokenizer& tokenizer,
                       const std::string& scratch_folder, const CorpusProgress& progress = {});

}  // namespace bert
