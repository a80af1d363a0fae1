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

#include "common/plot/heatmap.hpp"
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

    std::optional<Tensor> scores;                       // (L, B, H, T, S), before mask and softmax
    std::optional<Tensor> queries;                      // (L, B, H, T, D)
    std::optional<Tensor> keys;                         // (L, B, H, S, D)
    std::optional<Tensor> values;                       // (L, B, H, S, any width)
    std::map<std::string, TokenNumbers> token_numbers;  // input_ids, offsets and the like

    std::string title;
    std::string model;  // the class of model, such as "BertModel"
    std::string text;   // what the tokens were made of; empty: not known
    std::optional<std::string> second_text;
};

/// Throws ShapeError when shapes, tokens and numbers of layers and heads do not fit together;
/// NumericError for a number that is not finite, a weight outside [0, 1], a row whose sum is
/// farther than 1e-5 from 1 (a row of zeros is right under a mask), or a weight other than 0 for a
/// source behind its target under a causal mask; std::invalid_argument for text that is not UTF-8
/// and for a key in token_numbers that another array has.
void validate(const AttentionDump& dump);

/// Each validates first, and throws as validate() does.
///
/// The .npz file holds `attentions`, `layers`, `heads`, `tokens`, what else is given, and `meta`, a
/// string of JSON. When source_tokens is given, it is an array of its own, which a reader that
/// knows self-attention only will not look for. Throws IoError too.
void write_attention_npz(const std::string& path, const AttentionDump& dump);

/// One JSON object with the same keys; `meta` is an object. Numbers have six significant digits.
std::string attention_json(const AttentionDump& dump);

/// layer,head,target,target_token,source,source_token,weight: a line for each weight of one
/// sequence that is at least min_weight. Throws ShapeError too, when there is no such sequence.
std::string attention_csv(const AttentionDump& dump, std::size_t sequence = 0,
                          double min_weight = 0.0);

/// One head as a heatmap from 0 to its greatest weight; layer and head count from 0 in this dump.
/// Throws ShapeError too, for a layer, sequence or head that is not there.
Heatmap attention_heatmap(const AttentionDump& dump, std::size_t layer, std::size_t sequence,
                          std::size_t head);

/// The tokens of the sources: source_tokens, or tokens when that is empty.
const std::vector<std::vector<std::string>>& source_tokens_of(const AttentionDump& dump);

}  // namespace bert
