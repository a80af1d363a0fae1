// A text or a pair of texts as BERT reads it (Devlin et al. 2018, section 3):
//
//     [CLS] A [SEP]          one text       token types 0 .. 0
//     [CLS] A [SEP] B [SEP]  a pair         0 for [CLS] A [SEP], 1 for B [SEP]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ch12_wordpiece/plain_tokenize.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "ch13_bert_input/truncation.hpp"

namespace bert {

/// One example: T numbers of each kind.
struct Encoding {
    std::vector<std::int64_t> input_ids = {};       // rows of the vocabulary
    std::vector<std::int64_t> token_type_ids = {};  // 0: first text, and padding; 1: second
    std::vector<std::int64_t> attention_mask = {};  // 1: a token, 0: padding
    /// 1: added, as padding is too; 0: of a text, also a special token that the text spells out.
    std::vector<std::int64_t> special_tokens_mask = {};
    /// [begin, end) in code points of its own text; (0, 0) for what was added.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> offsets = {};
    std::vector<std::int32_t> word_ids = {};  // word of its own text, from 0; -1: added
    std::size_t length() const { return input_ids.size(); }
    bool operator==(const Encoding&) const = default;
};

/// Up to which length an example is filled up with [PAD], at its end.
enum class Padding {
    none,
    longest,     // of its batch
    max_length,  // max_length; a longer example stays as long as it is
};

struct EncodingOptions {
    bool add_special_tokens = true;
    /// The special tokens included; nothing: the tokenizer's model_max_length.
    std::optional<std::size_t> max_length = {};
    Truncation truncation = Truncation::none;
    Padding padding = Padding::none;
};

/// Nobody pads to more than this.
constexpr std::size_t most_padded_length = 1'048'576;

/// Puts pieces and special tokens in their order, with their token types.
Encoding build_input(const std::vector<Piece>& first,
                     const std::optional<std::vector<Piece>>& second, const SpecialIds& special,
                     bool add_special_tokens = true);

/// Adds [PAD] up to this length: token type 0, attention mask 0, special. Does nothing to an
/// example that is as long or longer. Throws std::invalid_argument above most_padded_length.
void pad(Encoding& encoding, std::size_t length, TokenId pad_id);

/// One example, as a call of Hugging Face's BertTokenizerFast gives it; `second` may be empty and
/// still has its [SEP]. Padding::longest does nothing here.
///
/// Throws std::invalid_argument where truncation or padding asks for a max_length that nobody has
/// said; with truncation, for a max_length that the special tokens alone exceed, where Hugging Face
/// returns an example longer than that, and as truncated() does; and as the tokenizer does.
Encoding encode(const Tokenizer& tokenizer, std::string_view first,
                std::optional<std::string_view> second = {}, const EncodingOptions& options = {});

/// The tokens by name. Throws std::invalid_argument for an id outside the vocabulary.
std::vector<std::string> tokens_of(const Encoding& encoding, const WordPieceVocabulary& vocabulary);

}  // namespace bert
