#include "ch13_bert_input/truncation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bert {

namespace {

// What is left of one text when it alone loses the tokens that do not fit.
std::size_t shortened_alone(std::optional<std::size_t> length, const TextLengths& lengths,
                            std::size_t room, Truncation truncation) {
    const std::size_t excess = lengths.sum() - room;
    if (length && *length > excess) return *length - excess;
    const std::string name = truncation == Truncation::only_first ? "first" : "second";
    throw std::invalid_argument{"truncation " + std::string{to_string(truncation)} + ": " +
                                std::to_string(lengths.sum()) + " tokens where " +
                                std::to_string(room) + " fit, but " +
                                (length ? "the " + name + " text has " + std::to_string(*length) +
                                              " and would lose " + std::to_string(excess)
                                        : "there is no " + name + " text")};
}

// [longest_first]
TextLengths longest_first(const TextLengths& lengths, std::size_t room) {
    if (!lengths.second) return {std::min(lengths.first, room), {}};
    std::size_t first = lengths.first;
    std::size_t second = *lengths.second;
    // EXERCISE BEGIN 13-longest-first
    // STEP longer    at most what the shorter text leaves, but not below its length
    const bool second_is_longer = second >= first;
    std::size_t& longer = second_is_longer ? second : first;
    std::size_t& shorter = second_is_longer ? first : second;
    longer = std::min(longer, std::max(shorter, room - std::min(room, shorter)));
    // STEP halves    still too long: half of the room each, the odd token to the longer
    if (first + second > room) {
        shorter = room / 2;
        longer = room - shorter;
    }
    // STUB: second = room - std::min(room, first);
    // EXERCISE END
    return {first, second};
}
// [longest_first]

}  // namespace

std::string_view to_string(Truncation truncation) {
    switch (truncation) {
        case Truncation::longest_first:
            return "longest_first";
        case Truncation::only_first:
            return "only_first";
        case Truncation::only_second:
            return "only_second";
        case Truncation::none:
            break;
    }
    return "none";
}

TextLengths truncated(const TextLengths& lengths, std::size_t room, Truncation truncation) {
    if (truncation == Truncation::none || lengths.sum() <= room) return lengths;
    if (room == 0) return {0, lengths.second ? std::optional<std::size_t>{0} : std::nullopt};
    TextLengths left = lengths;
    if (truncation == Truncation::longest_first) left = longest_first(lengths, room);
    if (truncation == Truncation::only_first)
        left.first = shortened_alone(lengths.first, lengths, room, truncation);
    if (truncation == Truncation::only_second)
        left.second = shortened_alone(lengths.second, lengths, room, truncation);
    return left;
}

}  // namespace bert
