// Text to normalised words in one walk.
//
// English is nearly all ASCII, for which the steps of normalise() come down to one table. The walk
// cuts a text where no step looks across: at ASCII blanks and punctuation. A part that holds only
// ASCII letters and digits is a word as it stands; any other part goes through the steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/piece_trie.hpp"
#include "ch12_wordpiece/source_text.hpp"
#include "ch12_wordpiece/split_words.hpp"
#include "ch12_wordpiece/tokenizer_config.hpp"

namespace bert {

/// A word of more characters is unknown.
constexpr std::size_t most_word_characters = 100;

/// A word on its way through; all of it is good only during the call that gets it.
struct CutWord {
    std::string_view letters;   // normalised, UTF-8; raw and without meaning if too_long
    std::uint32_t begin;        // [begin, end) in code points of the text
    std::uint32_t end;          //
    bool too_long = false;      // more than most_word_characters
    std::int32_t special = -1;  // index into special_tokens() if it is one
    const std::uint32_t* places = nullptr;  // of each byte's character; null: begin + byte

    std::uint32_t place_of(std::size_t byte) const {
        return places == nullptr ? begin + static_cast<std::uint32_t>(byte) : places[byte];
    }
};

class WordCutter {
  public:
    using Visitor = std::function<void(const CutWord&)>;

    explicit WordCutter(TokenizerOptions options);

    const TokenizerOptions& options() const { return options_; }
    /// [UNK], [CLS], [SEP], [MASK], [PAD] by the names that they have, then the additional ones.
    const std::vector<std::string>& special_tokens() const { return special_tokens_; }

    /// Calls visit for each word of a text, in order; a special token that stands in the text as it
    /// is spelled is a word. The words are those of split_words() after normalise(). Safe to call
    /// from several threads at once. Throws std::invalid_argument for a text of 2 GiB or more.
    void for_each_word(std::string_view utf8, const Visitor& visit) const;

  private:
    friend class TextWalk;
    enum ByteKind : std::uint8_t { letter, blank, punctuation, control, not_ascii, special = 8 };
    static ByteKind kind_of(unsigned char byte);

    TokenizerOptions options_;
    std::vector<std::string> special_tokens_;
    std::vector<BlanksTaken> blanks_taken_;  // by each of them
    PieceTrie specials_;
    std::array<std::uint8_t, 256> kinds_{};  // `special` is added where a special token may begin
    std::array<char, 256> letters_{};        // of ASCII: itself, or its lower case
};

}  // namespace bert
