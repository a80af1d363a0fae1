#include "ch12_wordpiece/tokenizer_config.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "common/io/strict_json.hpp"

namespace bert {

namespace {

using Kind = JsonValue::Kind;

// Where a length is not limited, transformers writes 1e30.
constexpr double unlimited = 1e9;

bool flag_of(const JsonValue& token, std::string_view key) {
    const JsonValue* const flag = token.find(key);
    return flag != nullptr && flag->to_bool();
}

void require_off(const JsonValue& token, std::string_view key, const std::string& what) {
    if (flag_of(token, key)) token.at(key).refuse(what + " are not supported", "false");
}

// "[MASK]" or {"content": "[MASK]", "normalized": false, "single_word": false, "lstrip": true, ..}.
std::string token_of(const JsonValue& value, TokenizerOptions& options) {
    if (value.kind() == Kind::object) {
        require_off(value, "normalized", "tokens found after normalising");
        require_off(value, "single_word", "tokens found only between words");
    }
    const JsonValue& text = value.kind() == Kind::object ? value.at("content") : value;
    if (text.kind() != Kind::string)
        text.refuse("wrong kind of value", "a token, as text or as an object with \"content\"");
    if (text.to_string().empty()) text.refuse("an empty token", "a token");
    if (value.kind() == Kind::object)
        options.blanks_taken[text.to_string()] = {flag_of(value, "lstrip"),
                                                  flag_of(value, "rstrip")};
    return text.to_string();
}

void read_flag(const JsonValue& config, std::string_view key, bool& flag) {
    if (const JsonValue* value = config.find(key)) flag = value->to_bool();
}

void read_token(const JsonValue& config, std::string_view key, std::string& token,
                TokenizerOptions& options) {
    const JsonValue* const value = config.find(key);
    if (value == nullptr) return;
    token = token_of(*value, options);
    if (value->kind() != Kind::object) options.blanks_taken.erase(token);
}

std::optional<std::size_t> length_of(const JsonValue& value) {
    if (value.is_null()) return std::nullopt;
    const double length = value.to_double();
    if (length < 1 || (length < unlimited && length != std::floor(length)))
        value.refuse("not a length", "a whole number of at least 1");
    if (length >= unlimited) return std::nullopt;
    return static_cast<std::size_t>(length);
}

void add_token(TokenizerOptions& options, const std::string& token) {
    const auto& named = {options.unknown_token, options.cls_token, options.sep_token,
                         options.mask_token, options.pad_token};
    auto& more = options.additional_special_tokens;
    if (std::find(named.begin(), named.end(), token) != named.end()) return;
    if (std::find(more.begin(), more.end(), token) == more.end()) more.push_back(token);
}

// A list of tokens, or an object of names and tokens.
void read_more_tokens(const JsonValue& config, std::string_view key, TokenizerOptions& options) {
    const JsonValue* value = config.find(key);
    if (value == nullptr || value->is_null()) return;
    if (value->kind() != Kind::array && value->kind() != Kind::object)
        value->refuse("wrong kind of value", "a list of tokens");
    for (const JsonValue& token : value->items())
        add_token(options, token_of(token, options));
}

// {"0": {"content": "[PAD]", ..}, ..}
void read_added_tokens(const JsonValue& config, TokenizerOptions& options) {
    const JsonValue* added = config.find("added_tokens_decoder");
    if (added == nullptr || added->is_null()) return;
    if (added->kind() != Kind::object) added->refuse("wrong kind of value", "an object");
    for (const JsonValue& token : added->items()) {
        if (token.kind() != Kind::object) token.refuse("wrong kind of value", "an object");
        add_token(options, token_of(token, options));
    }
}

void read_special_tokens(const JsonValue& file, TokenizerOptions& options) {
    read_token(file, "unk_token", options.unknown_token, options);
    read_token(file, "cls_token", options.cls_token, options);
    read_token(file, "sep_token", options.sep_token, options);
    read_token(file, "mask_token", options.mask_token, options);
    read_token(file, "pad_token", options.pad_token, options);
}

// Everything but the tokens.
TokenizerOptions read_options(const JsonValue& config) {
    TokenizerOptions options;
    read_flag(config, "do_lower_case", options.lower_case);
    read_flag(config, "tokenize_chinese_chars", options.space_chinese);
    if (const JsonValue* strip = config.find("strip_accents"); strip && !strip->is_null())
        options.strip_accents = strip->to_bool();
    for (const char* side : {"padding_side", "truncation_side"}) {
        const JsonValue* const value = config.find(side);
        if (value == nullptr || value->is_null() || value->to_string() == "right") continue;
        value->refuse("a side that is not supported", "\"right\"");
    }
    if (const JsonValue* length = config.find("model_max_length"))
        options.model_max_length = length_of(*length);
    return options;
}

}  // namespace

TokenizerOptions read_tokenizer_config(const std::string& path,
                                       const std::string& special_tokens_path) {
    const JsonValue config = path.empty() ? parse_json("", "{}") : read_json_file(path);
    TokenizerOptions options = read_options(config);
    read_special_tokens(config, options);
    // transformers looks at the older file only where the newer list is missing.
    if (!special_tokens_path.empty() && config.find("added_tokens_decoder") == nullptr) {
        const JsonValue special = read_json_file(special_tokens_path);
        read_special_tokens(special, options);
        read_more_tokens(special, "additional_special_tokens", options);
        read_more_tokens(special, "extra_special_tokens", options);
    }
    read_more_tokens(config, "additional_special_tokens", options);
    read_more_tokens(config, "extra_special_tokens", options);
    read_added_tokens(config, options);
    return options;
}

}  // namespace bert
