// From the weights that layers keep while they run to a dump.
#pragma once

#include <string>
#include <vector>

#include "common/attention_map/attention_dump.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Layers (B, H, T, S), such as AttentionRecorder::weights, as one tensor (L, B, H, T, S). Throws
/// ShapeError for no layers, for another rank, and for layers that differ in shape.
Tensor stacked_maps(const std::vector<Tensor>& layers);

/// A dump of all of them, layers and heads numbered from 0, with the tokens of the targets. The
/// rest of what a dump can say is the caller's to fill in.
AttentionDump dump_of(const std::vector<Tensor>& layers,
                      std::vector<std::vector<std::string>> tokens);

}  // namespace bert
