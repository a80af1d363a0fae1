#include <stdexcept>
#include <utility>

#include "ch12_wordpiece/word_cutter.hpp"
#include "common/text/unicode.hpp"

namespace bert {

WordCutter::ByteKind WordCutter::kind_of(unsigned char byte) {
    if (byte >= 0x80) return not_ascii;
    const auto properties = code_point_properties(byte);
    if ((properties & CodePoint::whitespace) != 0) return blank;
    if ((properties & CodePoint::control) != 0) return control;
    return (properties & CodePoint::punctuation) != 0 ? punctuation : letter;
}

WordCutter::WordCutter(TokenizerOptions options)
    : options_(std::move(options)),
      special_tokens_{options_.unknown_token, options_.cls_token, options_.sep_token,
                      options_.mask_token, options_.pad_token} {
    const auto& more = options_.additional_special_tokens;
    special_tokens_.insert(special_tokens_.end(), more.begin(), more.end());
    for (std::size_t byte = 0; byte < kinds_.size(); ++byte) {
        kinds_[byte] = kind_of(static_cast<unsigned char>(byte));
        const bool capital = options_.lower_case && byte >= 'A' && byte <= 'Z';
        letters_[byte] = static_cast<char>(capital ? byte - 'A' + 'a' : byte);
    }
    for (std::size_t i = 0; i < special_tokens_.size(); ++i) {
        const std::string& token = special_tokens_[i];
        if (token.empty()) throw std::invalid_argument{"WordCutter: an empty special token"};
        specials_.insert(token, static_cast<std::int32_t>(i));
        const bool takes = options_.blanks_taken.contains(token);
        blanks_taken_.push_back(takes ? options_.blanks_taken.at(token) : BlanksTaken{});
        kinds_[static_cast<unsigned char>(token.front())] |= special;
    }
}

}  // namespace bert
