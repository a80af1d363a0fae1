#include "ch12_wordpiece/text_blocks.hpp"

#include <algorithm>
#include <string_view>

#include "ch12_wordpiece/word_counts.hpp"
#include "common/io/file_error.hpp"
#include "common/text/lenient_utf8.hpp"

namespace bert {

namespace {

constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20U;

std::size_t first_bad_byte(std::string_view text) {
    std::size_t at = 0;
    for (;;) {
        const Utf8Character next = first_character(text.substr(at));
        if (next.bad) return at;
        at += next.bytes;
    }
}

}  // namespace

TextBlocks::TextBlocks(const std::string& path) : file_(path) {}

std::optional<std::string> TextBlocks::next() {
    if (at_ == file_.size()) {
        if (bad_utf8_ * 100 <= file_.size()) return std::nullopt;
        throw FileError{file_.path(), "byte " + std::to_string(first_bad_), "not UTF-8 text",
                        std::to_string(bad_utf8_) + (bad_utf8_ == 1 ? " bad part" : " bad parts") +
                            " in " + std::to_string(file_.size()) + " bytes",
                        "at most 1 in 100"};
    }
    std::string block;
    for (;;) {
        const std::uint64_t end = at_ + block.size();
        block += file_.read(end, std::min(block_bytes, file_.size() - end));
        if (at_ + block.size() == file_.size()) break;
        const auto blank = std::find_if(block.rbegin(), block.rend(), is_ascii_blank);
        if (blank != block.rend()) {
            block.erase(blank.base(), block.end());
            break;
        }
        if (block.size() >= most_bytes_without_blank) {
            throw FileError{file_.path(), "byte " + std::to_string(at_), "no words",
                            std::to_string(block.size()) + " bytes without a blank or line end",
                            "fewer than " + std::to_string(most_bytes_without_blank)};
        }
    }
    check(block);
    at_ += block.size();
    return block;
}

void TextBlocks::check(const std::string& block) {
    const std::size_t zero = block.find('\0');
    if (zero != std::string::npos) {
        throw FileError{file_.path(), "byte " + std::to_string(at_ + zero), "not UTF-8 text",
                        "a zero byte", "text"};
    }
    const std::size_t bad = count_bad_utf8(block);
    if (bad > 0 && bad_utf8_ == 0) first_bad_ = at_ + first_bad_byte(block);
    bad_utf8_ += bad;
}

}  // namespace bert
