// One training step of a Transformer: teacher forcing, label-smoothed cross-entropy, backward,
// clipping, Adam with warm-up and decay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ch06_learning/adam.hpp"
#include "ch09_translation/token_batch.hpp"
#include "ch09_translation/transformer.hpp"

namespace bert {

struct TrainingOptions {
    std::uint64_t steps = 3000;
    std::size_t batch_size = 64;
    double learning_rate = 2e-3;  // at its peak
    std::uint64_t warmup = 400;   // steps until then
    double label_smoothing = 0.1;
    double dropout = 0.1;
    double max_gradient_norm = 1.0;
    std::uint64_t seed = 9;
};

/// Throws std::invalid_argument, naming the option, what was found and what is expected.
void require_training_options(const TrainingOptions& options);

/// All that changes while training: what a checkpoint has to hold.
struct TrainingState {
    Transformer model;
    Adam adam;
    std::uint64_t step = 0;              // steps done
    std::uint64_t dropout_position = 0;  // words taken from the dropout's generator
};

/// The optimiser as the paper sets it: b1 0.9, b2 0.98, e 1e-9.
AdamSettings translation_adam();

/// A model with random weights, tracked, and an optimiser as the paper sets it (section 5.3).
TrainingState start_training(const TransformerSize& size, const TrainingOptions& options);

struct StepReport {
    std::uint64_t step;  // from 1
    double loss;
    double gradient_norm;  // before clipping
    double learning_rate;
};

/// Does the next step. Throws NumericError naming the step and the layer or the parameter where a
/// number was not finite; the state is then as it was.
StepReport train_step(TrainingState& state, const TrainingBatch& batch,
                      const TrainingOptions& options);

/// The learning rate of a step, from 1: warm-up to the peak, then linear decay to 0.
double learning_rate_at(std::uint64_t step, const TrainingOptions& options);

}  // namespace bert
