// A text file in blocks that end between two words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/io/input_file.hpp"

namespace bert {

/// No step of the tokenizer looks across one of these.
constexpr bool is_ascii_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

class TextBlocks {
  public:
    /// Throws as InputFile does.
    explicit TextBlocks(const std::string& path);

    std::uint64_t size() const { return file_.size(); }
    /// In the blocks so far: parts that are not UTF-8.
    std::uint64_t bad_utf8() const { return bad_utf8_; }

    /// The next block of about 1 MiB, nothing after the last one. Throws FileError as count_words()
    /// says.
    std::optional<std::string> next();

  private:
    void check(const std::string& block);

    InputFile file_;
    std::uint64_t at_ = 0;  // the first byte of the next block
    std::uint64_t bad_utf8_ = 0;
    std::uint64_t first_bad_ = 0;
};

}  // namespace bert
