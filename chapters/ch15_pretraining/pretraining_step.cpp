#include "ch15_pretraining/pretraining_step.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "ch06_learning/clip.hpp"
#include "ch06_learning/learning_rate.hpp"
#include "ch07_encoder/dropout.hpp"
#include "common/autograd/tape.hpp"
#include "common/cli/option_range.hpp"
#include "common/tensor/elementwise.hpp"

namespace bert {

namespace {

// Streams of the seed: weights, and two of dropout; batch_order.hpp takes those from 16 on.
constexpr std::uint64_t weight_stream = 0;
constexpr std::array<std::uint64_t, 2> dropout_streams = {1, 2};

Dropout dropout_of(const PretrainingState& state, std::size_t i, double probability,
                   std::uint64_t seed) {
    Random random{seed, dropout_streams[i]};
    random.set_position(state.dropout_positions[i]);
    return Dropout{probability, random};
}

void add_gradients(std::vector<Tensor>& sum, std::vector<Tensor> gradients) {
    if (sum.empty()) {
        sum = std::move(gradients);
        return;
    }
    for (std::size_t i = 0; i < sum.size(); ++i)
        add_to(sum[i], gradients[i]);
}

// The share of all chosen tokens, and of all examples, that a batch has.
LossWeights weights_of(const PretrainingBatch& batch, std::span<const PretrainingBatch> batches) {
    double tokens = 0.0;
    double examples = 0.0;
    for (const PretrainingBatch& part : batches) {
        tokens += static_cast<double>(part.labels.size());
        examples += static_cast<double>(part.next_labels.size());
    }
    return {tokens == 0.0 ? 0.0 : static_cast<double>(batch.labels.size()) / tokens,
            static_cast<double>(batch.next_labels.size()) / examples};
}

}  // namespace

void require_pretraining_options(const PretrainingOptions& o) {
    const auto as_number = [](auto x) { return static_cast<double>(x); };
    require_option(o.steps >= 1, "steps", as_number(o.steps), "at least 1");
    require_option(o.batch_size >= 1, "batch size", as_number(o.batch_size), "at least 1");
    require_option(o.accumulate >= 1 && o.accumulate <= o.batch_size, "batches of a step",
                   as_number(o.accumulate), "1 up to the batch size");
    require_option(o.warmup < o.steps, "warm-up", as_number(o.warmup), "fewer than all steps");
    require_option(o.learning_rate > 0.0 && std::isfinite(o.learning_rate), "learning rate",
                   o.learning_rate, "above 0 and finite");
    require_option(o.weight_decay >= 0.0 && std::isfinite(o.weight_decay), "weight decay",
                   o.weight_decay, "at least 0 and finite");
    require_option(o.max_gradient_norm > 0.0 && std::isfinite(o.max_gradient_norm),
                   "largest gradient norm", o.max_gradient_norm, "above 0 and finite");
}

double learning_rate_at(std::uint64_t step, const PretrainingOptions& options) {
    return warmup_then_linear(step, options.learning_rate, options.warmup, options.steps);
}

AdamSettings pretraining_adam(const PretrainingOptions& options) {
    return {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-6, .weight_decay = options.weight_decay};
}

PretrainingState start_pretraining(const BertConfig& config, const PretrainingOptions& options) {
    Random random{options.seed, weight_stream};
    return start_pretraining(random_bert(random, config), options);
}

PretrainingState start_pretraining(Bert bert, const PretrainingOptions& options) {
    require_pretraining_options(options);
    if (!bert.model.pooler || !bert.predictions || !bert.seq_relationship)
        throw std::invalid_argument{
            "start_pretraining: the model lacks its pooler or one of the two heads"};
    PretrainingState state{.bert = std::move(bert), .adam = {}};
    state.adam.settings = pretraining_adam(options);
    track_parameters(state.bert);
    return state;
}

static PretrainingReport do_step(PretrainingState& state, const BertPass& pass,
                                 std::span<const PretrainingBatch> batches,
                                 const PretrainingOptions& options) {
    const std::vector<NamedParameter> parameters = parameters_of(state.bert);
    PretrainingCounts counts;
    std::vector<Tensor> gradients;
    // [step]
    for (const PretrainingBatch& batch : batches) {
        const PretrainingLoss part =
            pretraining_loss(state.bert, batch, pass, weights_of(batch, batches));
        require_finite("loss", part.loss);
        counts += part.counts;
        add_gradients(gradients, backward(part.loss).of(parameters));
    }
    const double norm = clip_by_global_norm(gradients, options.max_gradient_norm);
    const double rate = learning_rate_at(state.step + 1, options);
    state.adam.step(parameters, gradients, rate);
    return {state.step + 1, counts, norm, rate};
    // [step]
}

PretrainingReport pretraining_step(PretrainingState& state,
                                   std::span<const PretrainingBatch> batches,
                                   const PretrainingOptions& options) {
    if (batches.empty()) throw std::invalid_argument{"pretraining_step: no batch"};
    const BertConfig& config = state.bert.config;
    Dropout hidden = dropout_of(state, 0, config.hidden_dropout_prob, options.seed);
    Dropout weights = dropout_of(state, 1, config.attention_probs_dropout_prob, options.seed);
    try {
        const PretrainingReport report =
            do_step(state, {.dropout = &hidden, .attention_dropout = &weights}, batches, options);
        ++state.step;
        state.dropout_positions = {hidden.random().position(), weights.random().position()};
        return report;
    } catch (const NumericError& e) {
        throw NumericError{fmt::format("step {}: {}", state.step + 1, e.what())};
    }
}

}  // namespace bert
