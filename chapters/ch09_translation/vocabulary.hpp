// Words as numbers.
//
// The first three numbers are no words: <pad> fills up the short sentences of a batch, <start> is
// what the decoder reads before the first word, <end> what it says after the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace bert {

/// Words as numbers.
using TokenIds = std::vector<std::int64_t>;

constexpr std::int64_t pad_id = 0;
constexpr std::int64_t start_id = 1;
constexpr std::int64_t end_id = 2;

constexpr std::size_t most_words = 100'000;    // of a vocabulary
constexpr std::size_t most_word_bytes = 1000;  // of one of them

class Vocabulary {
  public:
    /// The tokens in the order of their numbers, as tokens() gives them to a checkpoint. Throws
    /// std::invalid_argument unless they start with <pad>, <start>, <end>, are UTF-8 without
    /// blanks and control characters, not empty, all different, and no more or longer than
    /// most_words and most_word_bytes.
    explicit Vocabulary(std::vector<std::string> tokens);

    /// The words of these sentences after the special tokens, the most frequent first, equally
    /// frequent ones in the order of their bytes. Throws UsageError for a word that is a special
    /// token, or that the constructor refuses; std::invalid_argument for no words at all.
    static Vocabulary of_sentences(const std::vector<std::string>& sentences);

    /// Special tokens too.
    std::size_t size() const { return tokens_.size(); }
    const std::vector<std::string>& tokens() const { return tokens_; }

    /// The numbers of words. Throws UsageError naming a word that is unknown, and the nearest known
    /// one, or that is a special token.
    std::vector<std::int64_t> ids(const std::vector<std::string>& words) const;

    /// The words of numbers, special tokens by their names. Throws std::invalid_argument for a
    /// number outside [0, size()).
    std::vector<std::string> words(const std::vector<std::int64_t>& ids) const;

    /// ids() of each of a file's sentences, sentence i on line i + 1. Throws FileError naming path
    /// and line where ids() throws.
    std::vector<std::vector<std::int64_t>> ids_of_file(
        const std::string& path, const std::vector<std::string>& sentences) const;

  private:
    std::string nearest_to(const std::string& word) const;

    std::vector<std::string> tokens_;
    std::unordered_map<std::string, std::int64_t> id_of_;
};

}  // namespace bert
