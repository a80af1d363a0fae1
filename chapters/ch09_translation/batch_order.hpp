// Which pairs make up the batch of a step.
//
// Every epoch goes through all pairs in an order of its own, drawn from the seed and the number of
// the epoch alone. So the step number is all that has to be known to go on after an interruption.
//
// Pairs of like length share a batch, so that little of it is padding: of the shuffled pairs each
// run of 16 batches is sorted by length and cut into batches, which are shuffled at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bert {

class BatchOrder {
  public:
    /// One length for each pair. Throws std::invalid_argument without pairs and for batch size 0.
    BatchOrder(std::vector<std::size_t> lengths, std::size_t batch_size, std::uint64_t seed);

    /// The last batch of an epoch may be smaller.
    std::uint64_t batches_per_epoch() const;
    /// The numbers of the pairs of step `step`, from 1.
    std::vector<std::size_t> batch(std::uint64_t step);

  private:
    void order_epoch(std::uint64_t epoch);

    std::vector<std::size_t> lengths_;
    std::size_t batch_size_;
    std::uint64_t seed_;
    std::uint64_t epoch_ = 0;
    std::vector<std::vector<std::size_t>> batches_;  // of epoch_; empty before the first
};

}  // namespace bert
