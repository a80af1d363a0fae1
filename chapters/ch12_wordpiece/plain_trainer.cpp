#include "ch12_wordpiece/plain_trainer.hpp"

#include <map>
#include <string>
#include <utility>

namespace bert {

namespace {

struct CountedWord {
    std::vector<std::string> pieces;
    std::uint64_t count;
};

struct PlaceCounts {
    std::map<std::string, std::uint64_t> of_piece;
    std::map<std::pair<std::string, std::string>, std::uint64_t> of_pair;
    std::uint64_t total = 0;
};

PlaceCounts count_places(const std::vector<CountedWord>& words) {
    PlaceCounts places;
    for (const auto& [pieces, count] : words) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            places.of_piece[pieces[i]] += count;
            places.total += count;
            if (i > 0) places.of_pair[{pieces[i - 1], pieces[i]}] += count;
        }
    }
    return places;
}

bool is_better(const Merge& a, const Merge& b) {
    if (a.score != b.score) return a.score > b.score;
    return first_of_equals(a.left, a.right, b.left, b.right);
}

// The pair with the largest score; its count is 0 when there is none.
// [best]
Merge best_merge(const PlaceCounts& places, MergeScore score, std::uint64_t min_frequency) {
    Merge best;
    for (const auto& [pair, count] : places.of_pair) {
        if (count < min_frequency) continue;
        const auto& [left, right] = pair;
        Merge merge{left, right, {}, 0};
        merge.counts = {count, places.of_piece.at(left), places.of_piece.at(right), places.total};
        merge.score = merge_score(score, merge.counts);
        if (best.counts.pair == 0 || is_better(merge, best)) best = merge;
    }
    return best;
}
// [best]

}  // namespace

std::vector<Merge> plain_merges(const WordCounts& words, std::size_t most, MergeScore score,
                                std::uint64_t min_frequency) {
    std::vector<CountedWord> cut;
    for (const auto& [word, count] : words)
        cut.push_back({first_pieces(word), count});
    std::vector<Merge> merges;
    // [train]
    while (merges.size() < most) {
        const Merge best = best_merge(count_places(cut), score, min_frequency);
        if (best.counts.pair == 0) break;
        for (CountedWord& word : cut)
            join(word.pieces, best.left, best.right, merged(best.left, best.right));
        merges.push_back(best);
    }
    // [train]
    return merges;
}

}  // namespace bert
