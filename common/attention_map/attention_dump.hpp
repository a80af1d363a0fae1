// Attention maps as files: what was looked at, by which layer and head, for which tokens.
//
// L layers, B sequences, H heads, T targets (the tokens that ask), S sources (those that are
// asked), D the width of a head. Readers refuse another `version` in the meta data and ignore what
// they do not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/io/npz.hpp"
#include "common/plot/heatmap.hpp"
#include "common/plot/picture.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

enum class AttentionMask { none, causal, padding };

/// Whole numbers that belong to the target tokens: shape (B, T) or (B, T, ...).
struct TokenNumbers {
    Shape shape;
    std::vector<std::int32_t> values;
};

struct AttentionDump {
    Tensor attentions;                                    // (L, B, H, T, S), after softmax
    std::vector<std::int32_t> layers;                     // (L) their numbers in the model
    std::vector<std::int32_t> heads;                      // (H) likewise
    std::vector<std::vector<std::string>> tokens;         // (B, T) of the targets, UTF-8
    std::vector<std::vector<std::string>> source_tokens;  // (B, S); empty: the same as tokens
    AttentionMask mask = AttentionMask::none;

    std::optional<Tensor> scores;       // (L, B, H, T, S), before mask and softmax
    std::optional<Tensor> queries;      // (L, B, H, T, D)
    std::optional<Tensor> keys;         // (L, B, H, S, D)
    std::optional<Tensor> values;       // (L, B, H, S, any width)
    std::optional<Tensor> value_norms;  // (L, B, H, S), the length of each value after W_O
    std::optional<Tensor> rollout;      // (B, T, S), of all layers and heads (chapter 17)

    /// By key. Known keys and what they hold:
    ///     input_ids, token_type_ids    (B, T), not negative
    ///     attention_mask               (B, T), 1 for a token and 0 for padding
    ///     special_tokens_mask          (B, T), 1 for [CLS], [SEP], padding and the like
    ///     word_ids                     (B, T), -1 for a special token
    ///     offsets                      (B, T, 2), begin and end in code points of the text
    std::map<std::string, TokenNumbers> token_numbers;

    std::string title;
    std::string model;           // the class of model, such as "BertModel"
    std::string model_config;    // its settings, a JSON object as text; empty: not known
    std::string weights_sha256;  // of its file of weights; empty: not known
    std::string text;            // what the tokens were made of; empty: not known
    std::optional<std::string> second_text;
    /// (B) where the second sentence of a pair begins; empty: no pairs.
    std::vector<std::optional<std::int32_t>> sentence_b_start;
    std::map<std::string, std::string> special_tokens;  // "cls": "[CLS]", "sep": "[SEP]", ...
    std::string prediction;  // what the model made of it, a JSON object as text; empty: nothing
};

/// Throws ShapeError when shapes, tokens and numbers of layers and heads do not fit together;
/// NumericError for a number that is not finite, a weight outside [0, 1], a row whose sum is
/// farther than 1e-5 from 1 (a row of zeros is right under a mask), or a weight other than 0 for a
/// source behind its target under a causal mask, or for padding (which attention_mask tells when
/// sources and targets are the same); std::invalid_argument for text that is not UTF-8, JSON text
/// that is no object, numbers of tokens that cannot be, and a key in token_numbers that another
/// array has.
void validate(const AttentionDump& dump);

/// Each of the following validates first, and throws as validate() does.

/// The .npz file holds `attentions`, `layers`, `heads`, `tokens`, what else is given, and `meta`, a
/// string of JSON (data/schema/attention_meta.schema.json). With f2 the weights, and what else is
/// no whole number, take half the room and keep three digits. When source_tokens is given, it is an
/// array of its own, which a reader that knows self-attention only will not look for. Throws
/// IoError too.
void write_attention_npz(const std::string& path, const AttentionDump& dump,
                         NpyFloat type = NpyFloat::f4);

/// Reads such a file, from this program or another one; checks it as validate() does, with 1e-3 in
/// place of 1e-5 for f2. Arrays and keys that it does not know are ignored. Throws IoError when the
/// file does not open, FileError for everything else.
AttentionDump read_attention_npz(const std::string& path);

/// More numbers than this are refused as text: npz has room for them.
constexpr std::size_t most_attention_text = std::size_t{1} << 22;

/// One JSON object with the same keys; `meta` is an object. Numbers have six significant digits.
/// Throws std::invalid_argument too for more than most_attention_text numbers.
std::string attention_json(const AttentionDump& dump);

/// layer,head,target,target_token,source,source_token,weight: a line for each weight of one
/// sequence that is at least min_weight. A token of two or more bytes that a spreadsheet would take
/// for a formula, such as "=1", gets a ' before it. Throws ShapeError too, when there is no such
/// sequence; std::invalid_argument for a min_weight that is NaN, and for more than
/// most_attention_text lines.
std::string attention_csv(const AttentionDump& dump, std::size_t sequence = 0,
                          double min_weight = 0.0);

/// One head as a heatmap from 0 to its greatest weight; layer and head count from 0 in this dump.
/// Throws ShapeError too, for a layer, sequence or head that is not there.
Heatmap attention_heatmap(const AttentionDump& dump, std::size_t layer, std::size_t sequence,
                          std::size_t head);

/// All heads of one sequence as small maps, a row a layer and a column a head, in colours from 0 to
/// the greatest weight of all. Of a map with more cells than pixels, each pixel shows the greatest
/// weight below it. Throws ShapeError too for a sequence that is not there, and for more than 128
/// layers or heads.
Picture attention_grid(const AttentionDump& dump, std::size_t sequence = 0);

/// The tokens of the sources: source_tokens, or tokens when that is empty.
const std::vector<std::vector<std::string>>& source_tokens_of(const AttentionDump& dump);

}  // namespace bert
