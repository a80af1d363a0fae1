// How many tokens of two texts stay when both together are too long.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bert {

/// What loses tokens, at its end; the special tokens never do.
enum class Truncation {
    none,           // nothing: the input may be longer than max_length
    longest_first,  // the longer text, then both alike
    only_first,     // the first text
    only_second,    // the second text
};

/// "longest_first".
std::string_view to_string(Truncation truncation);

/// Tokens of each text, the special ones left out.
struct TextLengths {
    std::size_t first = 0;
    std::optional<std::size_t> second = {};  // nothing: there is one text only
    std::size_t sum() const { return first + second.value_or(0); }
    bool operator==(const TextLengths&) const = default;
};

/// What is left of two texts of these lengths where `room` tokens fit. longest_first cuts the
/// longer text down to the shorter one; if that is not enough each gets half of the room, and the
/// odd token goes to the longer text, or to the second of two equally long ones. Where there is
/// room for nothing, both are emptied, whatever `truncation` says.
///
/// Throws std::invalid_argument naming both lengths when only_first or only_second would have to
/// take the whole text, or there is no second.
TextLengths truncated(const TextLengths& lengths, std::size_t room, Truncation truncation);

}  // namespace bert
