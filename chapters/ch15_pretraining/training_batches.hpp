// Which examples make up the batches of a training step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ch09_translation/batch_order.hpp"
#include "ch15_pretraining/example_reader.hpp"
#include "ch15_pretraining/pretraining_batch.hpp"
#include "ch15_pretraining/pretraining_step.hpp"

namespace bert {

class TrainingBatches {
  public:
    /// Examples in the order of BatchOrder, for steps of options.batch_size of them. The reader
    /// stays the caller's. Throws FileError naming both numbers when it has fewer than a step
    /// takes.
    TrainingBatches(const ExampleReader& examples, TokenId pad_id,
                    const PretrainingOptions& options);

    std::uint64_t steps_per_epoch() const { return order_.batches_per_epoch(); }
    /// The examples of a step, from 1, in options.accumulate batches; the last step of an epoch may
    /// have fewer. Equal for equal steps, whatever was asked for before.
    std::vector<PretrainingBatch> of_step(std::uint64_t step);

  private:
    const ExampleReader* examples_;
    TokenId pad_id_;
    std::size_t accumulate_;
    BatchOrder order_;
};

/// Tokens of these batches, padding left out.
std::size_t tokens_in(const std::vector<PretrainingBatch>& batches);

}  // namespace bert
