// The vocabulary of a BERT: one token a line of vocab.txt, whose id is the number of its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bert {

using TokenId = std::int32_t;

/// What stands before a piece that continues a word.
constexpr std::string_view continuation_mark = "##";

constexpr std::size_t most_tokens = 1'000'000;  // of a vocabulary
constexpr std::size_t most_token_bytes = 1000;  // of one of them

class WordPieceVocabulary {
  public:
    /// What to do with a token that stands on two lines: refuse the file, or, as Python's readers
    /// do, find the last one while both ids keep their text.
    enum class Duplicates { refuse, last_wins };

    /// Tokens in the order of their ids. Throws std::invalid_argument where read() would throw
    /// FileError.
    explicit WordPieceVocabulary(std::vector<std::string> tokens,
                                 Duplicates duplicates = Duplicates::refuse);

    /// Reads lines that end in LF or CRLF; nothing else is trimmed. Throws IoError when the file
    /// does not open. Throws FileError with the number of the line for a token that is empty, a
    /// bare ##, longer than most_token_bytes, not UTF-8 or with a NUL, for one that is there twice,
    /// for a byte order mark; and for an empty file or one above 32 MiB or most_tokens.
    static WordPieceVocabulary read(const std::string& path,
                                    Duplicates duplicates = Duplicates::refuse);
    /// The same from the bytes of a file; `path` is for the errors.
    static WordPieceVocabulary parse(const std::string& path, std::string_view bytes,
                                     Duplicates duplicates = Duplicates::refuse);

    std::size_t size() const { return tokens_.size(); }
    const std::vector<std::string>& tokens() const { return tokens_; }
    /// Throws std::invalid_argument for an id outside [0, size()).
    const std::string& token(TokenId id) const;
    std::optional<TokenId> find(std::string_view token) const;
    /// Writes vocab.txt, whole or not at all. Throws IoError.
    void write(const std::string& path) const;

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::vector<std::string> tokens_;
    std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> id_of_;
};

}  // namespace bert
