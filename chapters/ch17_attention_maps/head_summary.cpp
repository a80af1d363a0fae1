#include "ch17_attention_maps/head_summary.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "ch17_attention_maps/head_kind.hpp"
#include "common/tensor/print.hpp"

namespace bert {

namespace {

using Roles = std::vector<TokenRole>;

// [query]
// Adds what query t puts where.
void add_query(HeadSummary& sum, std::span<const Real> weights, std::size_t t, const Roles& roles) {
    // EXERCISE BEGIN 17-head-summary
    // STEP each key   its weight times its distance, and its weight to its shares
    for (std::size_t s = 0; s < weights.size(); ++s) {
        const auto a = static_cast<double>(weights[s]);
        sum.distance += a * static_cast<double>(t > s ? t - s : s - t);
        if (roles[s] == TokenRole::cls) sum.cls += a;
        if (roles[s] == TokenRole::sep) sum.sep += a;
        if (s == t) sum.self += a;
        if (s + 1 == t) sum.previous += a;
        if (s == t + 1) sum.next += a;
    }
    // STUB: sum.self += static_cast<double>(weights.size() + t + roles.size());
    // EXERCISE END
}
// [query]

// How many keys query t may see.
std::size_t visible_keys(const Roles& roles, std::size_t t, bool causal) {
    std::size_t count = 0;
    for (std::size_t s = 0; s < (causal ? t + 1 : roles.size()); ++s)
        count += roles[s] != TokenRole::padding ? 1 : 0;
    return count;
}

HeadSummary summary_of(const Tensor& attentions, const MapTokens& tokens, std::size_t layer,
                       std::size_t head) {
    const Shape& shape = attentions.shape();
    const std::size_t length = shape[3];
    HeadSummary sum{static_cast<std::int32_t>(layer), static_cast<std::int32_t>(head)};
    for (std::size_t b = 0; b < shape[1]; ++b) {
        const std::size_t first = ((layer * shape[1] + b) * shape[2] + head) * length;
        const Roles& roles = tokens.roles[b];
        for (std::size_t t = 0; t < length; ++t) {
            if (roles[t] == TokenRole::padding) continue;
            const std::span<const Real> weights = attentions.row(first + t);
            sum.entropy += entropy(weights);
            const std::size_t visible = visible_keys(roles, t, tokens.causal);
            sum.largest_entropy += std::log(static_cast<double>(visible));
            add_query(sum, weights, t, roles);
        }
    }
    return sum;
}

std::size_t queries_of(const MapTokens& tokens) {
    std::size_t count = 0;
    for (const Roles& roles : tokens.roles) {
        for (const TokenRole role : roles)
            count += role != TokenRole::padding ? 1 : 0;
    }
    if (count == 0) throw std::invalid_argument{"head_summary: every token is padding"};
    return count;
}

}  // namespace

// [entropy]
// H = - sum of p ln p; the limit of p ln p at 0 is 0.
double entropy(std::span<const Real> weights) {
    // EXERCISE BEGIN 17-entropy
    // STEP terms   p ln p of every weight that is not 0
    // STEP sum     in double, and its negative
    double sum = 0.0;
    for (const Real weight : weights) {
        const auto p = static_cast<double>(weight);
        if (p > 0.0) sum -= p * std::log(p);
    }
    return sum;
    // STUB: return static_cast<double>(weights.size());
    // EXERCISE END
}
// [entropy]

std::vector<HeadSummary> head_summary(const Tensor& attentions, const MapTokens& tokens) {
    require_maps("head_summary", attentions, tokens);
    const auto queries = static_cast<double>(queries_of(tokens));
    const std::size_t num_heads = attentions.dim(2);
    std::vector<HeadSummary> heads(attentions.dim(0) * num_heads);
#pragma omp parallel for if (attentions.size() > 65536)
    for (std::size_t i = 0; i < heads.size(); ++i) {
        HeadSummary sum = summary_of(attentions, tokens, i / num_heads, i % num_heads);
        for (double* part : {&sum.entropy, &sum.largest_entropy, &sum.distance, &sum.cls, &sum.sep,
                             &sum.self, &sum.previous, &sum.next})
            *part /= queries;
        heads[i] = sum;
    }
    return heads;
}

std::vector<HeadSummary> head_summary(const AttentionDump& dump) {
    std::vector<HeadSummary> heads = head_summary(dump.attentions, map_tokens(dump));
    for (std::size_t i = 0; i < heads.size(); ++i) {
        heads[i].layer = dump.layers[i / dump.heads.size()];
        heads[i].head = dump.heads[i % dump.heads.size()];
    }
    return heads;
}

std::string summary_table(const std::vector<HeadSummary>& heads) {
    std::string text =
        "layer head  entropy  (most)  distance   cls   sep  self  "
        "prev  next  looks like\n";
    for (const HeadSummary& head : heads) {
        text += fmt::format("{:>5} {:>4} {:>8} {:>7} {:>9}", head.layer, head.head,
                            to_text(head.entropy, 2), to_text(head.largest_entropy, 2),
                            to_text(head.distance, 2));
        for (const double share : {head.cls, head.sep, head.self, head.previous, head.next})
            text += fmt::format(" {:>5}", to_text(share, 2));
        text += fmt::format("  {}\n", name_of(kind_of(head)));
    }
    return text;
}

}  // namespace bert
