// Ids back to text.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "ch12_wordpiece/tokenizer.hpp"

namespace bert {

namespace {

using Replacements = std::array<std::pair<std::string_view, std::string_view>, 11>;

constexpr Replacements in_a_token = {{{" .", "."},
                                      {" ?", "?"},
                                      {" !", "!"},
                                      {" ,", ","},
                                      {" ' ", "'"},
                                      {" n't", "n't"},
                                      {" 'm", "'m"},
                                      {" do not", " don't"},
                                      {" 's", "'s"},
                                      {" 've", "'ve"},
                                      {" 're", "'re"}}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    std::string result;
    std::size_t begin = 0;
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, begin)) {
        result.append(text, begin, at - begin).append(to);
        begin = at + from.size();
    }
    text = result.append(text, begin);
}

}  // namespace

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special_tokens,
                              CleanUp clean_up) const {
    std::string text;
    bool first = true;
    for (const TokenId id : ids) {
        std::string token = vocabulary_.token(id);
        if (skip_special_tokens && is_special(id)) continue;
        const bool continues = token.starts_with(continuation_mark);
        if (!first) token = continues ? token.substr(continuation_mark.size()) : " " + token;
        if (clean_up != CleanUp::none) {
            for (const auto& [from, to] : in_a_token)
                replace_all(token, from, to);
        }
        text += token;
        first = false;
    }
    if (clean_up == CleanUp::whole_text) {
        for (const auto& [from, to] : in_a_token) {
            if (from != " do not") replace_all(text, from, to);
        }
    }
    return text;
}

}  // namespace bert
