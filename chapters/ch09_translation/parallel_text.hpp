// Two text files whose lines are translations of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ch09_translation/grammar.hpp"

namespace bert {

constexpr std::uint64_t most_corpus_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_corpus_lines = 1'000'000;

/// The sentences of a file, one a line, words separated by one blank: blanks in excess are dropped.
/// Lines end in LF or CRLF, the last with or without. Throws IoError when the file does not open,
/// FileError for a file above 64 MiB or a million lines, without a line, with a line that is not
/// UTF-8, or with one that has no word or a control character.
std::vector<std::string> read_sentences(const std::string& path);

/// Line by line the pairs of two files. Throws as read_sentences does, and FileError naming both
/// counts when they differ.
std::vector<SentencePair> read_parallel_text(const std::string& source_path,
                                             const std::string& target_path);

/// The words of a sentence; blanks separate them.
std::vector<std::string> words_of(const std::string& sentence);

}  // namespace bert
