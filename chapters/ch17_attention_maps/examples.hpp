// The small maps of the lesson.
#pragma once

#include "common/attention_map/attention_dump.hpp"

namespace bert {

/// Two layers of one head over [CLS] dogs bark [SEP], with weights made of quarters.
AttentionDump quarter_maps();

/// Two maps that differ and the values that they mix: (2, 1, 3), (3, 2). Keys 1 and 2 have the same
/// value, so that both outputs are equal.
struct TwoMaps {
    Tensor weights;
    Tensor values;
};
TwoMaps two_maps_one_output();

}  // namespace bert
