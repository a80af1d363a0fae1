#include "ch17_attention_maps/map_tokens.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace bert {

namespace {

std::string special(const AttentionDump& dump, const char* kind, const char* otherwise) {
    const auto found = dump.special_tokens.find(kind);
    if (found != dump.special_tokens.end()) return found->second;
    return dump.special_tokens.empty() ? otherwise : "";
}

TokenRole role_of(const std::string& token, const std::string& cls, const std::string& sep) {
    if (token == cls && !cls.empty()) return TokenRole::cls;
    if (token == sep && !sep.empty()) return TokenRole::sep;
    return TokenRole::word;
}

}  // namespace

MapTokens map_tokens(const AttentionDump& dump) {
    validate(dump);
    const Shape& shape = dump.attentions.shape();
    if (shape[3] != shape[4]) {
        throw ShapeError{"map_tokens: attentions " + with_letters(shape, "LBHTS") +
                         " are no self-attention: T and S differ"};
    }
    const std::string cls = special(dump, "cls", "[CLS]");
    const std::string sep = special(dump, "sep", "[SEP]");
    MapTokens tokens;
    tokens.causal = dump.mask == AttentionMask::causal;
    for (const std::vector<std::string>& sequence : source_tokens_of(dump)) {
        tokens.roles.emplace_back();
        for (const std::string& token : sequence)
            tokens.roles.back().push_back(role_of(token, cls, sep));
    }
    const auto mask = dump.token_numbers.find("attention_mask");
    if (mask == dump.token_numbers.end()) return tokens;
    for (std::size_t i = 0; i < shape[1] * shape[3]; ++i) {
        if (mask->second.values[i] == 0)
            tokens.roles[i / shape[3]][i % shape[3]] = TokenRole::padding;
    }
    return tokens;
}

void require_maps(const char* function, const Tensor& attentions, const MapTokens& tokens) {
    const Shape& shape = attentions.shape();
    if (shape.size() != 5 || shape[3] != shape[4] || attentions.size() == 0) {
        throw ShapeError{
            fmt::format("{}: attentions {} (expected (layer, batch, "
                        "head, target, source), not empty, with as "
                        "many sources as targets)",
                        function, to_string(shape))};
    }
    const bool fits = tokens.roles.size() == shape[1] &&
                      std::all_of(tokens.roles.begin(), tokens.roles.end(),
                                  [&](const auto& roles) { return roles.size() == shape[3]; });
    if (fits) return;
    throw ShapeError{fmt::format("{}: the roles of {} sequences do not fit attentions {}", function,
                                 tokens.roles.size(), with_letters(shape, "LBHTS"))};
}

}  // namespace bert
