#include "ch12_wordpiece/pair_table.hpp"

#include <limits>
#include <utility>

namespace bert {

namespace {

constexpr PieceNumber every_piece = std::numeric_limits<PieceNumber>::max();

std::uint64_t key_of(PieceNumber left, PieceNumber right) {
    return std::uint64_t{left} << 32U | right;
}

}  // namespace

PairTable::PairTable(TrainingWords words)
    : words_(std::move(words.words)), word_counts_(std::move(words.counts)) {
    for (const std::string& piece : words.alphabet)
        number_of(piece);
    for (std::uint32_t w = 0; w < words_.size(); ++w)
        add(w, every_piece);
}

PieceNumber PairTable::number_of(const std::string& text) {
    const auto [found, is_new] = number_of_.emplace(text, static_cast<PieceNumber>(texts_.size()));
    if (is_new) {
        texts_.push_back(text);
        piece_counts_.push_back(0);
        pairs_of_piece_.emplace_back();
    }
    return found->second;
}

PairNumber PairTable::pair_of(PieceNumber left, PieceNumber right) {
    const auto [found, is_new] =
        pair_of_.emplace(key_of(left, right), static_cast<PairNumber>(pairs_.size()));
    if (is_new) {
        pairs_.push_back({left, right});
        pairs_of_piece_[left].push_back(found->second);
        if (left != right) pairs_of_piece_[right].push_back(found->second);
    }
    return found->second;
}

PairCounts PairTable::counts(PairNumber pair) const {
    const Pair& p = pairs_[pair];
    return {p.count, piece_counts_[p.left], piece_counts_[p.right], total_};
}

void PairTable::take_away(const std::vector<PieceNumber>& word, std::uint64_t count) {
    for (std::size_t i = 0; i < word.size(); ++i) {
        piece_counts_[word[i]] -= count;
        total_ -= count;
        if (i > 0) pairs_[pair_of(word[i - 1], word[i])].count -= count;
    }
}

// The pairs that `joined` makes are new in the word.
void PairTable::add(std::uint32_t w, PieceNumber joined) {
    const std::vector<PieceNumber>& word = words_[w];
    for (std::size_t i = 0; i < word.size(); ++i) {
        piece_counts_[word[i]] += word_counts_[w];
        total_ += word_counts_[w];
        if (i == 0) continue;
        Pair& pair = pairs_[pair_of(word[i - 1], word[i])];
        pair.count += word_counts_[w];
        const bool is_new = joined == every_piece || word[i - 1] == joined || word[i] == joined;
        if (is_new) pair.words.push_back(w);
    }
}

void PairTable::join_in_word(std::uint32_t w, PieceNumber left, PieceNumber right,
                             PieceNumber joined) {
    const std::vector<PieceNumber>& word = words_[w];
    std::vector<PieceNumber> shorter;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const bool both = i + 1 < word.size() && word[i] == left && word[i + 1] == right;
        shorter.push_back(both ? joined : word[i]);
        if (both) ++i;
    }
    take_away(word, word_counts_[w]);
    words_[w] = std::move(shorter);
    add(w, joined);
}

// Pairs that stand nowhere are listed once more and then forgotten; should one come back, it is
// new.
void PairTable::list_pairs(PieceNumber piece, std::vector<PairNumber>& result) {
    std::vector<PairNumber>& list = pairs_of_piece_[piece];
    result.insert(result.end(), list.begin(), list.end());
    std::erase_if(list, [&](PairNumber number) {
        Pair& pair = pairs_[number];
        if (pair.count > 0) return false;
        const auto found = pair_of_.find(key_of(pair.left, pair.right));
        if (found != pair_of_.end() && found->second == number) pair_of_.erase(found);
        pair.words = {};
        return true;
    });
}

std::vector<PairNumber> PairTable::join(PairNumber pair) {
    const PieceNumber left = pairs_[pair].left;
    const PieceNumber right = pairs_[pair].right;
    const PieceNumber joined = number_of(merged(texts_[left], texts_[right]));
    const std::vector<std::uint32_t> words = std::move(pairs_[pair].words);
    for (const std::uint32_t w : words)
        join_in_word(w, left, right, joined);
    std::vector<PairNumber> changed;
    list_pairs(left, changed);
    if (right != left) list_pairs(right, changed);
    list_pairs(joined, changed);
    return changed;
}

}  // namespace bert
