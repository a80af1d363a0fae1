// A word for what a head does most. An exploration, not a result: the borders are ours.
#pragma once

#include "ch17_attention_maps/head_summary.hpp"

namespace bert {

enum class HeadKind { previous, next, self, delimiter, broad, other };

/// A head that puts half of its weight or more on one place: the token before, the one after, the
/// token itself, or [CLS] and [SEP] together (the first of these that has the most). Else broad
/// from 0.8 of the largest entropy on. Else other.
HeadKind kind_of(const HeadSummary& head);

/// "previous", "next", "self", "delimiter", "broad", "-".
const char* name_of(HeadKind kind);

}  // namespace bert
