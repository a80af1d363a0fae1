// The names that a tensor of BERT has had in checkpoints, and the one that it has here.
//
//     bert.encoder.layer.0.output.LayerNorm.weight        the name since 2019
//     bert.encoder.layer.0.output.LayerNorm.gamma         converted from TensorFlow
//     encoder.layer.0.output.LayerNorm.weight             saved from a BertModel, which has no
//     heads
#pragma once

#include <string>
#include <string_view>

namespace bert {

/// The name with "bert." before the parts of the encoder, and weight and bias for gamma and beta of
/// a LayerNorm. Other names stay as they are.
std::string current_name(std::string_view name);

/// Whether it names numbers that are no weights and follow from the sizes, as position_ids.
bool is_buffer(std::string_view name);

}  // namespace bert
