// The pairs in the order of their scores, any of which may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace bert {

using PairNumber = std::uint32_t;

/// A binary heap that knows the place of each pair, so that it never holds an outdated one.
class PairHeap {
  public:
    /// Whether the first of two different pairs with the same score comes first.
    using FirstOfEquals = std::function<bool(PairNumber, PairNumber)>;
    explicit PairHeap(FirstOfEquals first_of_equals);

    bool empty() const { return heap_.empty(); }
    /// The pair that comes first, and its score. The heap must not be empty.
    PairNumber top() const { return heap_.front().pair; }
    double top_score() const { return heap_.front().score; }
    /// Puts a pair in, or gives it another score.
    void set(PairNumber pair, double score);
    /// Does nothing for a pair that is not in the heap.
    void remove(PairNumber pair);

  private:
    struct Entry {
        double score;
        PairNumber pair;
    };
    bool before(const Entry& a, const Entry& b) const;
    void put(std::size_t place, Entry entry);
    void move(std::size_t place, Entry entry);

    FirstOfEquals first_of_equals_;
    std::vector<Entry> heap_;
    std::vector<std::size_t> place_of_;  // by pair; its place in heap_ plus 1, 0: not there
};

}  // namespace bert
