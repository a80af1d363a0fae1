// The tensors of a checkpoint under their current names, held against a config.
#pragma once

#include <map>
#include <string>

#include "ch14_bert/checkpoint.hpp"
#include "ch14_bert/config.hpp"
#include "ch14_bert/pre_training_bert.hpp"
#include "ch14_bert/shards.hpp"

namespace bert {

using CurrentTensors = std::map<std::string, CheckpointTensor>;

/// Buffers are left out; cls.predictions.decoder.bias stands for cls.predictions.bias where that
/// is missing. Throws FileError when two tensors have one current name.
CurrentTensors current_tensors(const CheckpointFiles& files, CheckpointNotes& notes);

/// The parts of which at least one tensor is there.
BertParts parts_of(const CurrentTensors& tensors, const BertConfig& config);

/// Whether it names a decoder's weight or bias, which are those of something else in these parts.
bool is_tied_copy(const std::string& name, const BertParts& parts);

/// Whether tensors of this type hold weights: F16, BF16, F32 or F64.
bool is_float(SafetensorsType type);

/// Throws FileError naming every parameter of the outline that is missing, and every one, or copy
/// tied to one, that has another shape than the config gives it, or a type that is not a
/// floating-point one.
void require_parameters(const std::string& path, const CurrentTensors& tensors,
                        const Bert& outline);

/// A folder's checkpoint whose tensors fit its config.
struct OpenCheckpoint {
    BertConfig config;
    CheckpointFiles files;
    CurrentTensors tensors;
    BertParts parts;
    CheckpointNotes notes;  // without `unexpected`
};

/// Throws as load_bert().
OpenCheckpoint open_checkpoint(const std::string& folder);

}  // namespace bert
