// What a file of pre-training examples says about itself: how it was made, and from what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ch15_pretraining/masking.hpp"

namespace bert {

constexpr std::size_t least_example_length = 5;  // [CLS] A [SEP] B [SEP]
constexpr std::size_t most_example_length = 65536;
constexpr std::size_t most_duplicates = 10000;

/// Where examples come from and how they were made.
struct PretrainingFacts {
    std::string vocabulary_sha256{};  // of vocab.txt
    std::size_t vocab_size = 0;
    std::vector<std::string> corpus_sha256{};  // of each file of the corpus
    std::size_t max_length = 128;              // of an example, special tokens included
    std::size_t duplicates = 5;
    double short_seq_prob = 0.1;
    MaskingOptions masking{};
    bool dynamic_masking = false;  // nothing is chosen in the file: the reader chooses, every time
    std::uint64_t seed = 1;
    std::uint64_t sentences = 0;  // of the corpus
    std::uint64_t documents = 0;

    bool operator==(const PretrainingFacts&) const = default;
};

/// Throws std::invalid_argument, naming the option, what was found and what is expected.
void require_facts(const PretrainingFacts& facts);

/// The facts as JSON on one line.
std::string facts_json(const PretrainingFacts& facts);

/// Reads them; `path` is for the errors. Throws FileError for what facts_json() does not write:
/// what is not JSON, a key that is missing, a value out of range.
PretrainingFacts parse_facts(const std::string& path, std::string_view json);

}  // namespace bert
