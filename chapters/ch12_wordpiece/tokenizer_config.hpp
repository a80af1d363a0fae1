// What a tokenizer does with text, and tokenizer_config.json, which says it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bert {

/// The blanks around it that a special token's place takes in.
struct BlanksTaken {
    bool before = false;  // lstrip
    bool after = false;   // rstrip
};

/// The defaults are those of Hugging Face's BertTokenizer.
struct TokenizerOptions {
    bool lower_case = true;                  // do_lower_case
    std::optional<bool> strip_accents = {};  // nothing: as lower_case
    bool space_chinese = true;               // tokenize_chinese_chars
    std::string unknown_token = "[UNK]";
    std::string cls_token = "[CLS]";
    std::string sep_token = "[SEP]";
    std::string mask_token = "[MASK]";
    std::string pad_token = "[PAD]";
    /// Further tokens of the vocabulary that are found in a text as they stand.
    std::vector<std::string> additional_special_tokens = {};
    /// Of the special tokens, additional ones too, that take some in. No id depends on it.
    std::map<std::string, BlanksTaken> blanks_taken = {};
    /// The longest input of the model, special tokens included; nothing: not said.
    std::optional<std::size_t> model_max_length = {};
};

/// Reads tokenizer_config.json, as transformers 2 to 5 write it, and special_tokens_map.json, as 2
/// to 4 did: its tokens count where tokenizer_config.json has no added_tokens_decoder. An empty
/// path or a missing key stands for the defaults, and an unknown key is not looked at.
///
/// Throws IoError when the file does not open; FileError for what is not JSON, a key twice, a value
/// of the wrong type, an empty token, or a token that is looked for as this tokenizer does not:
/// after normalising ("normalized": true), or only between words ("single_word": true).
TokenizerOptions read_tokenizer_config(const std::string& path,
                                       const std::string& special_tokens_path = "");

}  // namespace bert
