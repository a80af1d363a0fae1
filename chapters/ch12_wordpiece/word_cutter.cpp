#include "ch12_wordpiece/word_cutter.hpp"

#include <limits>
#include <stdexcept>

#include "ch12_wordpiece/blanks.hpp"
#include "ch12_wordpiece/normalise.hpp"
#include "common/io/utf8.hpp"
#include "common/text/lenient_utf8.hpp"
#include "common/text/unicode.hpp"

namespace bert {

namespace {

// A part longer than this is cut at the next place where a cut changes nothing, so that Chinese
// text, which has no blanks, does not have to be there as code points all at once.
constexpr std::size_t long_part = 4096;

}  // namespace

// One walk through a text.
class TextWalk {
  public:
    TextWalk(const WordCutter& cutter, std::string_view text, const WordCutter::Visitor& visit)
        : cutter_(cutter), text_(text), visit_(visit) {}
    void run();

  private:
    std::uint8_t kind_at(std::size_t i) const {
        return cutter_.kinds_[static_cast<unsigned char>(text_[i])];
    }
    bool special_token();
    void part();
    bool can_be_cut(std::size_t i) const;
    std::size_t end_of_part(bool& plain) const;
    void plain_word(std::string_view letters);
    void words_of(std::string_view part);
    void word_of_source(WordRange range);

    const WordCutter& cutter_;
    std::string_view text_;
    const WordCutter::Visitor& visit_;
    std::size_t end_of_last_ = 0;  // of the last special token
    std::size_t at_ = 0;           // bytes of the text that are done
    std::uint32_t place_ = 0;      // and code points
    SourceText source_;            // of the part at hand
    std::string letters_;          // of the word at hand
    std::vector<std::uint32_t> places_;
};

void TextWalk::run() {
    while (at_ < text_.size()) {
        const std::uint8_t kind = kind_at(at_);
        if ((kind & WordCutter::special) != 0 && special_token()) continue;
        switch (kind & ~unsigned{WordCutter::special}) {
            case WordCutter::punctuation:
                plain_word(text_.substr(at_, 1));
                break;
            case WordCutter::blank:
            case WordCutter::control:
                ++at_;
                ++place_;
                break;
            default:
                part();
        }
    }
}

bool TextWalk::special_token() {
    const auto [index, length] = cutter_.specials_.longest(text_.substr(at_));
    if (length == 0) return false;
    const std::string_view token = text_.substr(at_, length);
    const BlanksTaken taken = cutter_.blanks_taken_[static_cast<std::size_t>(index)];
    const std::string_view before = text_.substr(end_of_last_, at_ - end_of_last_);
    const std::uint32_t begin = place_ - (taken.before ? blanks_at_end(before) : 0);
    std::size_t end = at_ + length;
    if (taken.after) end += blank_bytes_at_start(text_.substr(end));
    for (; at_ < end; ++place_)
        at_ += first_character(text_.substr(at_)).bytes;
    end_of_last_ = at_;
    visit_({.letters = token, .begin = begin, .end = place_, .special = index});
    return true;
}

// Whether the character at i separates words whatever stands before it.
bool TextWalk::can_be_cut(std::size_t i) const {
    const int separates = CodePoint::whitespace | CodePoint::punctuation |
                          (cutter_.options_.space_chinese ? CodePoint::chinese : 0);
    return (code_point_properties(first_character(text_.substr(i)).character) & separates) != 0;
}

// The end of what begins here: before the next ASCII blank or punctuation, or special token.
std::size_t TextWalk::end_of_part(bool& plain) const {
    std::size_t end = at_;
    for (; end < text_.size(); ++end) {
        const std::uint8_t kind = kind_at(end);
        if (kind == WordCutter::letter) continue;
        if ((kind & WordCutter::special) != 0 && end > at_ &&
            cutter_.specials_.longest(text_.substr(end)).length > 0)
            break;
        const unsigned plain_kind = kind & ~unsigned{WordCutter::special};
        if (plain_kind == WordCutter::letter) continue;
        if (plain_kind == WordCutter::blank || plain_kind == WordCutter::punctuation) break;
        if (end - at_ > long_part && can_be_cut(end)) break;
        plain = false;
    }
    return end;
}

void TextWalk::part() {
    bool plain = true;
    const std::string_view part = text_.substr(at_, end_of_part(plain) - at_);
    if (plain) {
        plain_word(part);
    } else {
        words_of(part);
    }
}

// ASCII letters and digits, or one punctuation character.
void TextWalk::plain_word(std::string_view letters) {
    const std::uint32_t begin = place_;
    at_ += letters.size();
    place_ += static_cast<std::uint32_t>(letters.size());
    if (letters.size() > most_word_characters) {
        visit_({.letters = letters, .begin = begin, .end = place_, .too_long = true});
        return;
    }
    std::array<char, most_word_characters> lower;
    for (std::size_t i = 0; i < letters.size(); ++i)
        lower[i] = cutter_.letters_[static_cast<unsigned char>(letters[i])];
    visit_({.letters = {lower.data(), letters.size()}, .begin = begin, .end = place_});
}

void TextWalk::words_of(std::string_view part) {
    source_.clear();
    append_source_text(source_, part, place_);
    at_ += part.size();
    place_ += static_cast<std::uint32_t>(source_.size());
    normalise(source_, cutter_.options_);
    WordRange range = next_word(source_, 0);
    for (; range.begin < range.end; range = next_word(source_, range.end))
        word_of_source(range);
}

void TextWalk::word_of_source(WordRange range) {
    const std::uint32_t begin = source_[range.begin].place;
    const std::uint32_t end = source_[range.end - 1].place + 1;
    letters_.clear();
    places_.clear();
    const bool too_long = range.end - range.begin > most_word_characters;
    for (std::size_t i = range.begin; i < range.end && !too_long; ++i) {
        append_utf8(letters_, source_[i].character);
        places_.resize(letters_.size(), source_[i].place);
    }
    visit_({.letters = letters_,
            .begin = begin,
            .end = end,
            .too_long = too_long,
            .places = places_.data()});
}

void WordCutter::for_each_word(std::string_view utf8, const Visitor& visit) const {
    if (utf8.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument{"a text of " + std::to_string(utf8.size()) +
                                    " bytes (expected less than 2 GiB)"};
    TextWalk{*this, utf8, visit}.run();
}

}  // namespace bert
