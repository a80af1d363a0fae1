#include "ch09_translation/bleu.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace bert {

namespace {

using Words = std::vector<std::string>;
constexpr std::size_t orders = 4;

std::map<Words, std::size_t> count_groups(const Words& words, std::size_t n) {
    std::map<Words, std::size_t> counts;
    const auto size = static_cast<std::ptrdiff_t>(n);
    for (auto first = words.begin(); words.end() - first >= size; ++first)
        ++counts[Words(first, first + size)];
    return counts;
}

struct Counts {
    std::array<std::size_t, orders> matches = {};
    std::array<std::size_t, orders> totals = {};
};

// [matches]
// matches_n += sum over groups g of min(times g is in the candidate, in the reference)
void add_groups(Counts& counts, const Words& candidate, const Words& reference) {
    for (std::size_t n = 1; n <= orders; ++n) {
        const auto in_reference = count_groups(reference, n);
        for (const auto& [group, times] : count_groups(candidate, n)) {
            const auto found = in_reference.find(group);
            const std::size_t most = found == in_reference.end() ? 0 : found->second;
            counts.matches[n - 1] += std::min(times, most);
            counts.totals[n - 1] += times;
        }
    }
}
// [matches]

// Percent. An order without a match counts as half a match, the next as a quarter, ..
std::array<double, orders> smoothed_precisions(const Counts& counts) {
    std::array<double, orders> precisions = {};
    if (counts.matches[0] == 0) return precisions;
    double share = 1.0;
    for (std::size_t n = 0; n < orders && counts.totals[n] > 0; ++n) {
        double matches = static_cast<double>(counts.matches[n]);
        if (counts.matches[n] == 0) {
            share /= 2.0;
            matches = share;
        }
        precisions[n] = 100.0 * matches / static_cast<double>(counts.totals[n]);
    }
    return precisions;
}

// exp(1 - r / c) for translations shorter than their references, which may leave out what is hard;
// exp(-infinity) = 0 without any word.
double brevity_penalty(std::size_t candidate_length, std::size_t reference_length) {
    if (candidate_length >= reference_length) return 1.0;
    return std::exp(1.0 -
                    static_cast<double>(reference_length) / static_cast<double>(candidate_length));
}

}  // namespace

Bleu corpus_bleu(const std::vector<Words>& candidates, const std::vector<Words>& references) {
    if (candidates.empty() || candidates.size() != references.size()) {
        throw std::invalid_argument{"corpus_bleu: " + std::to_string(candidates.size()) +
                                    " candidates for " + std::to_string(references.size()) +
                                    " references (expected one for each, at least one)"};
    }
    Bleu bleu;
    Counts counts;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        add_groups(counts, candidates[i], references[i]);
        bleu.candidate_length += candidates[i].size();
        bleu.reference_length += references[i].size();
    }
    // [bleu]
    bleu.precisions = smoothed_precisions(counts);
    bleu.brevity_penalty = brevity_penalty(bleu.candidate_length, bleu.reference_length);
    double log_sum = 0;
    for (const double precision : bleu.precisions)
        log_sum += std::log(precision);  // -infinity makes the score 0
    bleu.score = bleu.brevity_penalty * std::exp(log_sum / orders);
    // [bleu]
    return bleu;
}

}  // namespace bert
