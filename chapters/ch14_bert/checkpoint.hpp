// Checkpoints in a folder as Hugging Face's transformers writes and reads them:
//
//     config.json            sizes (config.hpp)
//     model.safetensors      weights (shards.hpp for those in several files)
//     vocab.txt              the vocabulary (chapter 12)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ch14_bert/pre_training_bert.hpp"
#include "ch14_bert/shards.hpp"
#include "common/io/safetensors_format.hpp"

namespace bert {

/// What a reader of a checkpoint may want to know.
struct CheckpointNotes {
    std::vector<std::string> renamed;     // old names that were read under the current one
    std::vector<std::string> unexpected;  // tensors that the model has no use for
    std::vector<std::string> untied;      // of the tied decoder, but other than what it is tied to
};

/// The model of a folder, with pooler and heads as far as its tensors are there. float32 weights
/// are not copied: they stay in the mapped file. Throws IoError; FileError for a config, a file or
/// names that are not as they should be, naming every tensor that is missing or has another shape
/// or type than the config gives it.
Bert load_bert(const std::string& folder, CheckpointNotes* notes = nullptr);

/// Writes config.json and model.safetensors, in float32, into a folder that is there. Throws
/// IoError.
void save_bert(const std::string& folder, const Bert& bert);

/// Reads `from` and writes it anew as one file under current names, bit by bit the same numbers in
/// the same types, with tensors that a Bert has no use for; position_ids, and a decoder that equals
/// what it is tied to, are left out. The tokenizer's files are copied. With a type, F16, BF16 or
/// F32, floating-point numbers are rounded to it. Throws as load_bert does; std::invalid_argument
/// for another type, and where `to` has a file of a checkpoint that would be left as it is;
/// NumericError naming a tensor with a number that the type cannot hold.
void convert_checkpoint(const std::string& from, const std::string& to,
                        std::optional<SafetensorsType> type = {});

}  // namespace bert
