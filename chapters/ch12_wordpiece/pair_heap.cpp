#include "ch12_wordpiece/pair_heap.hpp"

#include <utility>

namespace bert {

PairHeap::PairHeap(FirstOfEquals first_of_equals) : first_of_equals_(std::move(first_of_equals)) {}

bool PairHeap::before(const Entry& a, const Entry& b) const {
    if (a.score != b.score) return a.score > b.score;
    return a.pair != b.pair && first_of_equals_(a.pair, b.pair);
}

void PairHeap::put(std::size_t place, Entry entry) {
    heap_[place] = entry;
    place_of_[entry.pair] = place + 1;
}

// From a free place to where it belongs, up or down.
void PairHeap::move(std::size_t place, Entry entry) {
    while (place > 0 && before(entry, heap_[(place - 1) / 2])) {
        put(place, heap_[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        std::size_t child = 2 * place + 1;
        if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
        if (child >= heap_.size() || !before(heap_[child], entry)) break;
        put(place, heap_[child]);
        place = child;
    }
    put(place, entry);
}

void PairHeap::set(PairNumber pair, double score) {
    if (pair >= place_of_.size()) place_of_.resize(std::size_t{pair} + 1, 0);
    if (place_of_[pair] == 0) {
        heap_.push_back({score, pair});
        place_of_[pair] = heap_.size();
    }
    move(place_of_[pair] - 1, {score, pair});
}

void PairHeap::remove(PairNumber pair) {
    if (pair >= place_of_.size() || place_of_[pair] == 0) return;
    const std::size_t place = place_of_[pair] - 1;
    const Entry last = heap_.back();
    heap_.pop_back();
    place_of_[pair] = 0;
    if (last.pair != pair) move(place, last);
}

}  // namespace bert
