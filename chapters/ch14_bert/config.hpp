// The sizes of a BERT, as config.json gives them: Hugging Face's names and defaults.
//
//     name     L    D      H    F = 4 D
//     tiny     2    128    2    512
//     mini     4    256    4    1024
//     small    4    512    8    2048
//     medium   8    512    8    2048
//     base     12   768    12   3072
//     large    24   1024   16   4096
//
// base and large: Devlin et al. 2018, section 3; the others: Turc et al. 2019.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ch07_encoder/activations.hpp"

namespace bert {

struct BertConfig {
    std::size_t vocab_size = 30522;               // V
    std::size_t hidden_size = 768;                // D
    std::size_t num_hidden_layers = 12;           // L
    std::size_t num_attention_heads = 12;         // H
    std::size_t intermediate_size = 3072;         // F
    std::size_t max_position_embeddings = 512;    // positions that have an embedding
    std::size_t type_vocab_size = 2;              // token types
    Activation hidden_act = Activation::gelu;     // of the feed-forward layers
    double hidden_dropout_prob = 0.1;             // 0 <= p < 1
    double attention_probs_dropout_prob = 0.1;    // likewise
    double initializer_range = 0.02;              // standard deviation of random weights
    double layer_norm_eps = 1e-12;                // > 0
    std::size_t pad_token_id = 0;                 // < V
    std::vector<std::string> architectures = {};  // "BertForPreTraining": whose weights they are
    /// The keys that are not known here, with their values as JSON: written back as they were read.
    /// And hidden_act where the file has the second of two names for gelu_tanh.
    std::map<std::string, std::string> other = {};

    bool operator==(const BertConfig&) const = default;
};

/// The config of this name in the table above. Throws std::invalid_argument, naming them all.
BertConfig bert_size(std::string_view name);

/// A config.json of at most 1 MiB. Throws IoError when it does not open. Throws FileError naming
/// the key, when it is not strict JSON (strict_json.hpp); one of the seven sizes, V to token types,
/// is missing; a value has the wrong type or is out of range (a size is a whole number of 1 or
/// more, with a limit that the message states); D is not a multiple of H; or the config asks for
/// what is no BERT as built here: another model_type or hidden_act, relative positions, a decoder.
BertConfig read_bert_config(const std::string& path);

/// The same of the text of a file; `path` is for the errors.
BertConfig parse_bert_config(const std::string& path, std::string_view text);

/// The config as JSON, a key a line, in their order; transformers reads the same values.
std::string to_json(const BertConfig& config);

/// Writes it, whole or not at all. Throws IoError.
void write_bert_config(const std::string& path, const BertConfig& config);

/// About the bytes that the model's weights take as Real: embeddings, layers, pooler and heads.
/// The largest number when 64 bits cannot hold it.
std::uint64_t weight_bytes(const BertConfig& config);

/// The bytes that this process may take: the machine's memory, or its own limit when that is less.
std::uint64_t memory_limit();

/// "what 1.343 GB (limit 1.342 GB)": the one rounded up, the other down, so that they differ.
std::string too_large(const std::string& what, double needed, double limit);

/// Throws std::length_error, before anything is taken, when the weights need more than `limit`.
void require_memory(const BertConfig& config, std::uint64_t limit = memory_limit());

}  // namespace bert
