// The words of a corpus while their pieces are joined, with all counts kept up to date.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ch12_wordpiece/merge.hpp"
#include "ch12_wordpiece/pair_heap.hpp"
#include "ch12_wordpiece/training_words.hpp"

namespace bert {

class PairTable {
  public:
    explicit PairTable(TrainingWords words);

    /// Pairs are numbered from 0; each keeps its number, though its count may fall to 0.
    std::size_t size() const { return pairs_.size(); }
    const std::string& left(PairNumber pair) const { return texts_[pairs_[pair].left]; }
    const std::string& right(PairNumber pair) const { return texts_[pairs_[pair].right]; }
    PairCounts counts(PairNumber pair) const;

    /// Joins a pair in every word that holds it. Returns each pair of which a count has changed,
    /// its own or that of one of its pieces, some of them twice.
    std::vector<PairNumber> join(PairNumber pair);

  private:
    struct Pair {
        PieceNumber left;
        PieceNumber right;
        std::uint64_t count = 0;
        std::vector<std::uint32_t> words = {};  // where it is or was, some twice
    };
    PieceNumber number_of(const std::string& text);
    PairNumber pair_of(PieceNumber left, PieceNumber right);
    void join_in_word(std::uint32_t w, PieceNumber left, PieceNumber right, PieceNumber joined);
    void add(std::uint32_t w, PieceNumber joined);
    void take_away(const std::vector<PieceNumber>& word, std::uint64_t count);
    void list_pairs(PieceNumber piece, std::vector<PairNumber>& result);

    std::vector<std::vector<PieceNumber>> words_;
    std::vector<std::uint64_t> word_counts_;
    std::vector<std::string> texts_;                          // by piece
    std::vector<std::uint64_t> piece_counts_;                 // by piece
    std::uint64_t total_ = 0;                                 // all pieces of all words
    std::vector<std::vector<PairNumber>> pairs_of_piece_;     // by piece
    std::unordered_map<std::string, PieceNumber> number_of_;  // by text
    std::vector<Pair> pairs_;
    std::unordered_map<std::uint64_t, PairNumber> pair_of_;  // by left << 32 | right
};

}  // namespace bert
