#include "ch09_translation/training.hpp"

#include <fmt/core.h>

#include <cmath>

#include "ch06_learning/clip.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch06_learning/learning_rate.hpp"
#include "common/autograd/tape.hpp"
#include "common/cli/option_range.hpp"

namespace bert {

namespace {

// Streams of the seed: one for weights, one for dropout (batch_order.hpp takes those from 16 on).
constexpr std::uint64_t weight_stream = 0;
constexpr std::uint64_t dropout_stream = 1;

}  // namespace

void require_training_options(const TrainingOptions& o) {
    const auto as_number = [](auto x) { return static_cast<double>(x); };
    require_option(o.steps >= 1, "steps", as_number(o.steps), "at least 1");
    require_option(o.batch_size >= 1, "batch size", as_number(o.batch_size), "at least 1");
    require_option(o.warmup < o.steps, "warm-up", as_number(o.warmup), "fewer than all steps");
    require_option(o.learning_rate > 0.0 && std::isfinite(o.learning_rate), "learning rate",
                   o.learning_rate, "above 0 and finite");
    require_option(o.label_smoothing >= 0.0 && o.label_smoothing < 1.0, "label smoothing",
                   o.label_smoothing, "at least 0 and below 1");
    require_option(o.dropout >= 0.0 && o.dropout < 1.0, "dropout", o.dropout,
                   "at least 0 and below 1");
    require_option(o.max_gradient_norm > 0.0 && std::isfinite(o.max_gradient_norm),
                   "largest gradient norm", o.max_gradient_norm, "above 0 and finite");
}

double learning_rate_at(std::uint64_t step, const TrainingOptions& options) {
    return warmup_then_linear(step, options.learning_rate, options.warmup, options.steps);
}

AdamSettings translation_adam() {
    return {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9};
}

TrainingState start_training(const TransformerSize& size, const TrainingOptions& options) {
    require_training_options(options);
    Random random{options.seed, weight_stream};
    TrainingState state{.model = random_transformer(random, size), .adam = {}};
    state.adam.settings = translation_adam();
    track_parameters(state.model);
    return state;
}

// [train_step]
static StepReport do_step(TrainingState& state, Dropout& dropout, const TrainingBatch& batch,
                          const TrainingOptions& options) {
    const Tensor logits = state.model.logits(batch.source, batch.input, {.dropout = &dropout});
    const Tensor loss =
        cross_entropy(logits, batch.labels,
                      {.label_smoothing = options.label_smoothing, .ignored_label = pad_id});
    require_finite("loss", loss);
    const std::vector<NamedParameter> parameters = parameters_of(state.model);
    std::vector<Tensor> gradients = backward(loss).of(parameters);
    const double norm = clip_by_global_norm(gradients, options.max_gradient_norm);
    const double rate = learning_rate_at(state.step + 1, options);
    state.adam.step(parameters, gradients, rate);
    return {state.step + 1, static_cast<double>(*loss.data()), norm, rate};
}
// [train_step]

StepReport train_step(TrainingState& state, const TrainingBatch& batch,
                      const TrainingOptions& options) {
    Dropout dropout{options.dropout, Random{options.seed, dropout_stream}};
    dropout.random().set_position(state.dropout_position);
    try {
        const StepReport report = do_step(state, dropout, batch, options);
        ++state.step;
        state.dropout_position = dropout.random().position();
        return report;
    } catch (const NumericError& e) {
        throw NumericError{fmt::format("step {}: {}", state.step + 1, e.what())};
    }
}

}  // namespace bert
