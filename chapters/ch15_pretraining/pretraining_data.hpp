// A file of pre-training examples, made once from a corpus and read in any order.
//
//     "BERTDATA"  version (u32)  examples, one after the other  index: where each begins (u64)
//     facts as JSON              where index and facts begin (u64, u64)      SHA-256 of all before
//
// An example is u32 numbers: how many tokens n, how many of them in the first segment, 1 for a
// random next or 0, how many predictions m; n tokens, m positions, m replacements.
//
// All numbers little-endian. The file is mapped: its examples take no memory until they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ch15_pretraining/pretraining_example.hpp"
#include "ch15_pretraining/pretraining_facts.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/mapped_file.hpp"
#include "common/io/scratch_file.hpp"
#include "common/io/sha256.hpp"

namespace bert {

class PretrainingDataWriter {
  public:
    /// Throws IoError.
    explicit PretrainingDataWriter(const std::string& path);
    /// Throws IoError; std::invalid_argument for an example whose positions do not fit it.
    void add(const PretrainingExample& example);
    std::uint64_t size() const { return begins_.size(); }
    /// The facts, and the file is there. Once, after the last example. Throws IoError, and as
    /// require_facts().
    void commit(const PretrainingFacts& facts);

  private:
    void write(std::string_view bytes);

    AtomicFile file_;
    Sha256 sum_;
    std::uint64_t written_ = 0;
    std::string waiting_;                   // bytes that go out together
    ScratchNumbers<std::uint64_t> begins_;  // of the examples
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
    std::uint64_t begin_of(std::size_t i) const;
    void read_end();
    void check_sum();
    void check_index() const;

    std::shared_ptr<const MappedFile> file_;
    PretrainingFacts facts_;
    std::string sha256_;
    std::size_t index_begin_ = 0;
    std::size_t facts_begin_ = 0;
};

}  // namespace bert
