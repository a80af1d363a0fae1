// Checkpoints with numbers that are not finite.
#pragma once

#include <functional>

#include "ch14_bert/shards.hpp"
#include "tools/bert/command.hpp"

namespace bert {

/// Throws NumericError naming the first tensor with a NaN or an infinity, and how many have some.
void require_finite_tensors(const CheckpointFiles& files);

/// A command that runs the model: where that ends in a NumericError because of a number in the
/// checkpoint, the error names its tensor, and else the folder that --model names. A model that
/// works is not searched: that takes as long as loading it.
std::function<void(const Invocation&)> naming_tensors(
    std::function<void(const Invocation&)> command);

}  // namespace bert
