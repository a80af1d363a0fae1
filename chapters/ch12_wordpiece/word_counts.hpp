// The words of text files, counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/merge.hpp"
#include "ch12_wordpiece/tokenizer_config.hpp"

namespace bert {

constexpr std::size_t most_bytes_without_blank = std::size_t{1} << 22U;

struct CorpusWords {
    WordCounts words;  // as the tokenizer makes them; no special tokens
    std::uint64_t bytes = 0;
    std::uint64_t bad_utf8 = 0;  // parts that are not UTF-8, left out as the tokenizer does
    std::uint64_t too_long = 0;  // words of over 100 characters, left out
};

/// Bytes done, bytes in all, and the file at hand.
using CountingProgress =
    std::function<void(std::uint64_t done, std::uint64_t total, std::string_view path)>;

/// The words of files. Takes memory for different words, and works in parallel; neither the number
/// of threads nor the order of files and lines changes the result. Throws IoError when a file does
/// not open; FileError for one that is no text (a zero byte, or more bad UTF-8 than one part in 100
/// bytes), for most_bytes_without_blank without a blank or line end, and when there is no usable
/// word in any file; std::invalid_argument for no files. What `progress` throws comes through.
CorpusWords count_words(const std::vector<std::string>& paths, const TokenizerOptions& options,
                        const CountingProgress& progress = {});

}  // namespace bert
