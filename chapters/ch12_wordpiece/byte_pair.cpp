#include "ch12_wordpiece/byte_pair.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace bert {

namespace {

using Pieces = std::vector<std::string>;

Pieces with_end(std::string_view word) {
    Pieces pieces = characters_of(word);
    if (!pieces.empty()) pieces.back() += word_end;
    return pieces;
}

bool is_better(const BytePairMerge& a, const BytePairMerge& b) {
    if (a.count != b.count) return a.count > b.count;
    return std::tuple{a.left + a.right, a.left.size()} <
           std::tuple{b.left + b.right, b.left.size()};
}

BytePairMerge commonest_pair(const std::vector<std::pair<Pieces, std::uint64_t>>& words) {
    std::map<std::pair<std::string, std::string>, std::uint64_t> pairs;
    for (const auto& [pieces, count] : words) {
        for (std::size_t i = 1; i < pieces.size(); ++i)
            pairs[{pieces[i - 1], pieces[i]}] += count;
    }
    BytePairMerge best;
    for (const auto& [pair, count] : pairs) {
        const BytePairMerge merge{pair.first, pair.second, count};
        if (best.count == 0 || is_better(merge, best)) best = merge;
    }
    return best;
}

}  // namespace

// [byte_pair]
std::vector<BytePairMerge> byte_pair_merges(const WordCounts& words, std::size_t most) {
    std::vector<std::pair<Pieces, std::uint64_t>> cut;
    for (const auto& [word, count] : words)
        cut.emplace_back(with_end(word), count);
    std::vector<BytePairMerge> merges;
    while (merges.size() < most) {
        const BytePairMerge best = commonest_pair(cut);
        if (best.count == 0) break;
        for (auto& [pieces, count] : cut)
            join(pieces, best.left, best.right, best.left + best.right);
        merges.push_back(best);
    }
    return merges;
}
// [byte_pair]

std::vector<std::string> byte_pair_encode(std::string_view word,
                                          const std::vector<BytePairMerge>& merges) {
    std::map<std::pair<std::string, std::string>, std::size_t> rank;
    for (std::size_t i = 0; i < merges.size(); ++i)
        rank.emplace(std::pair{merges[i].left, merges[i].right}, i);
    Pieces pieces = with_end(word);
    // [byte_pair_encode]
    for (;;) {
        std::size_t next = merges.size();  // the earliest merge that fits
        for (std::size_t i = 1; i < pieces.size(); ++i) {
            const auto found = rank.find({pieces[i - 1], pieces[i]});
            if (found != rank.end() && found->second < next) next = found->second;
        }
        if (next == merges.size()) return pieces;
        const BytePairMerge& merge = merges[next];
        join(pieces, merge.left, merge.right, merge.left + merge.right);
    }
    // [byte_pair_encode]
}

}  // namespace bert
