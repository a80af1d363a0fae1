// A file of pre-training examples, made once from a corpus and read in any order.
//
//     "BERTDATA"  version (u32)  examples, one after the other  index: where each begins (u64)
//     facts as JSON              where index and facts begin (u64, u64)      SHA-256 of all before
//
// All numbers little-endian. The file is mapped: its examples take no memory until they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ch15_pretraining/masking.hpp"
#include "ch15_pretraining/pretraining_example.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/mapped_file.hpp"
#include "common/io/sha256.hpp"

namespace bert {

/// Where examples come from and how they were made.
struct PretrainingFacts {
    std::string vocabulary_sha256;  // of vocab.txt
    std::size_t vocab_size = 0;
    std::vector<std::string> corpus_sha256;  // of each file of the corpus
    std::size_t max_length = 128;            // of an example, special tokens included
    std::size_t duplicates = 5;
    double short_seq_prob = 0.1;
    MaskingOptions masking{};
    bool dynamic_masking = false;  // nothing is chosen in the file: the reader chooses, every time
    std::uint64_t seed = 1;
    std::uint64_t sentences = 0;  // of the corpus
    std::uint64_t documents = 0;

    bool operator==(const PretrainingFacts&) const = default;
};

class PretrainingDataWriter {
  public:
    /// Throws IoError.
    explicit PretrainingDataWriter(const std::string& path);
    /// Throws IoError.
    void add(const PretrainingExample& example);
    std::uint64_t size() const { return begins_.size(); }
    /// The facts, and the file is there. Throws IoError.
    void commit(const PretrainingFacts& facts);

  private:
    void write(std::string_view bytes);

    AtomicFile file_;
    Sha256 sum_;
    std::uint64_t written_ = 0;
    std::vector<std::uint64_t> begins_;
};

class PretrainingData {
  public:
    /// Throws IoError when the file does not open, FileError when it is no such file, of another
    /// version, cut short or damaged (its sum is compared), or has no example.
    explicit PretrainingData(const std::string& path);

    const std::string& path() const { return file_->path(); }
    const PretrainingFacts& facts() const { return facts_; }
    /// Of the whole file.
    const std::string& sha256() const { return sha256_; }
    std::size_t size() const;
    /// The number of tokens of example i.
    std::size_t length(std::size_t i) const;
    /// Throws FileError for an example that is not as it should be: an id outside the vocabulary,
    /// positions that do not ascend, and so on; and when the file was cut short meanwhile.
    PretrainingExample example(std::size_t i) const;

  private:
    std::shared_ptr<const MappedFile> file_;
    PretrainingFacts facts_;
    std::string sha256_;
    std::size_t index_begin_ = 0;
    std::size_t facts_begin_ = 0;
};

}  // namespace bert
