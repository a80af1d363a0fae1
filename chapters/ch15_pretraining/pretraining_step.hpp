// One training step of BERT: forward, both losses, backward, clipping, AdamW with warm-up and
// linear decay.
//
// With gradient accumulation the examples of a step pass in several batches whose gradients are
// added up: as large a step with less memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ch06_learning/adam.hpp"
#include "ch14_bert/pre_training_bert.hpp"
#include "ch15_pretraining/pretraining_batch.hpp"
#include "ch15_pretraining/pretraining_loss.hpp"

namespace bert {

struct PretrainingOptions {
    std::uint64_t steps = 1000;
    std::size_t batch_size = 32;  // examples of a step
    std::size_t accumulate = 1;   // batches that a step is cut into
    double learning_rate = 1e-3;  // at its peak
    std::uint64_t warmup = 100;   // steps until then
    double weight_decay = 0.01;
    double max_gradient_norm = 1.0;
    std::uint64_t seed = 1;  // of weights, dropout, order of examples, dynamic masking
};

/// Throws std::invalid_argument, naming the option, what was found and what is expected.
void require_pretraining_options(const PretrainingOptions& options);

/// All that changes while training: what a checkpoint has to hold.
struct PretrainingState {
    Bert bert;
    Adam adam;
    std::uint64_t step = 0;  // steps done
    /// Words taken from the generators of dropout, of hidden numbers and of attention weights.
    std::array<std::uint64_t, 2> dropout_positions{};
};

/// The optimiser as google-research's BERT sets it: b1 0.9, b2 0.999, e 1e-6.
AdamSettings pretraining_adam(const PretrainingOptions& options);

/// Training from random weights, or from a model that is there; both heads and pooler tracked.
/// Throws std::invalid_argument when the model lacks one of them.
PretrainingState start_pretraining(const BertConfig& config, const PretrainingOptions& options);
PretrainingState start_pretraining(Bert bert, const PretrainingOptions& options);

struct PretrainingReport {
    std::uint64_t step;  // from 1
    PretrainingCounts counts;
    double gradient_norm;  // before clipping
    double learning_rate;
};

/// Does the next step on all examples of `batches` together. Throws NumericError naming the step
/// and the layer or parameter where a number was not finite; the state is then as it was.
PretrainingReport pretraining_step(PretrainingState& state,
                                   std::span<const PretrainingBatch> batches,
                                   const PretrainingOptions& options);

/// The learning rate of a step, from 1: warm-up to the peak, then linear decay to 0.
double learning_rate_at(std::uint64_t step, const PretrainingOptions& options);

}  // namespace bert
