// What a head looks at, in eight numbers (Clark et al. 2019, sections 3 and 4).
//
// a[t, s] is the weight of key s for query t. Every mean is over the queries that are no padding,
// of all B sequences together, each counted once:
//
//     entropy          mean of  - sum over s of a[t, s] ln a[t, s]      (nats; 0 ln 0 = 0)
//     largest_entropy  mean of  ln(number of keys that t may see)
//     distance         mean of  sum over s of a[t, s] |t - s|
//     cls, sep         mean of  sum over the s that are [CLS], [SEP] of a[t, s]
//     self             mean of  a[t, t]
//     previous, next   mean of  a[t, t - 1], a[t, t + 1]                (0 where there is none)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ch17_attention_maps/map_tokens.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct HeadSummary {
    std::int32_t layer = 0;  // their numbers in the model
    std::int32_t head = 0;
    double entropy = 0.0;
    double largest_entropy = 0.0;
    double distance = 0.0;
    double cls = 0.0;
    double sep = 0.0;
    double self = 0.0;
    double previous = 0.0;
    double next = 0.0;
};

/// - sum of p ln p over a row of weights, in nats.
double entropy(std::span<const Real> weights);

/// One for each of the L H heads of attentions (L, B, H, T, T), layer by layer, numbered from 0.
/// Throws ShapeError as require_maps does, and std::invalid_argument when all positions are
/// padding.
std::vector<HeadSummary> head_summary(const Tensor& attentions, const MapTokens& tokens);

/// The same for a dump, with its numbers of layers and heads. Throws as map_tokens too.
std::vector<HeadSummary> head_summary(const AttentionDump& dump);

/// A line of column names and a line a head.
std::string summary_table(const std::vector<HeadSummary>& heads);

}  // namespace bert
