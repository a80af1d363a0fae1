#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <span>
#include <stdexcept>

#include "ch15_pretraining/pretraining_step.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"
#include "tests/ch07_encoder/golden_parameters.hpp"
#include "tests/ch15_pretraining/small_bert.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/threads.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Golden = std::map<std::string, Tensor>;

// Example b of step i of the golden's batches.
PretrainingExample golden_example(const Golden& arrays, std::size_t i, std::size_t b) {
    PretrainingExample example;
    const auto length = static_cast<std::size_t>(arrays.at("lengths")(i, b));
    for (std::uint32_t t = 0; t < length; ++t) {
        example.tokens.push_back(static_cast<TokenId>(arrays.at("tokens")(i, b, t)));
        if (arrays.at("chosen")(i, b, t) == Real{0}) continue;
        example.positions.push_back(t);
        example.replacements.push_back(static_cast<TokenId>(arrays.at("masked")(i, b, t)));
    }
    example.first_length = static_cast<std::size_t>(arrays.at("first")(i, b));
    example.is_random_next = arrays.at("next_labels")(i, b) == Real{1};
    return example;
}

PretrainingBatch golden_batch(const Golden& arrays, std::size_t i) {
    std::vector<PretrainingExample> examples;
    for (std::size_t b = 0; b < arrays.at("lengths").dim(1); ++b)
        examples.push_back(golden_example(arrays, i, b));
    return make_pretraining_batch(examples, 0);
}

Golden starting_with(const Golden& arrays, const std::string& prefix) {
    Golden found;
    for (const auto& [name, x] : arrays)
        if (name.starts_with(prefix)) found[name.substr(prefix.size())] = x;
    return found;
}

double norm_of(const Tensor& x) {
    double sum = 0.0;
    for (const Real value : x.values())
        sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum);
}

// A gradient that is 0 but for rounding: softmax does not see what shifts all scores alike.
bool is_noise(const std::string& name) {
    return name.ends_with("key.bias");
}

PretrainingOptions golden_options() {
    return {.steps = 10, .batch_size = 4, .learning_rate = 2e-3, .warmup = 3};
}

PretrainingState golden_start(const Golden& arrays) {
    PretrainingState state = start_pretraining(without_dropout(small_config()), golden_options());
    load_parameters(state.bert, starting_with(arrays, "start."));
    track_parameters(state.bert);
    return state;
}

bool same_weights(const PretrainingState& a, const PretrainingState& b) {
    std::vector<Tensor> of_a;
    for_each_parameter(a.bert, [&](const std::string&, const Tensor& x) { of_a.push_back(x); });
    std::size_t i = 0;
    bool same = true;
    for_each_parameter(b.bert,
                       [&](const std::string&, const Tensor& x) { same &= x == of_a[i++]; });
    return same;
}

}  // namespace

TEST_CASE("pretraining_loss: first gradients equal transformers", "[ch15]") {
    const Golden arrays = golden("ch15_training");
    const PretrainingState state = golden_start(arrays);
    const PretrainingLoss loss = pretraining_loss(state.bert, golden_batch(arrays, 0));
    const Gradients gradients = backward(loss.loss);
    double largest = 0.0;  // seen: 6e-7, 2e-15
    for_each_parameter(state.bert, [&](const std::string& name, const Tensor& parameter) {
        if (is_noise(name)) return;
        const Tensor& expected = arrays.at("gradient." + name);
        const double error = norm_of(gradients.of(parameter) - expected) / norm_of(expected);
        INFO(name);
        CHECK(error <= by_precision(2.4e-6, 8e-15));
        largest = std::max(largest, error);
    });
    std::cout << "largest relative error of a gradient: " << largest << "\n";
}

TEST_CASE("pretraining_step: ten steps equal transformers with AdamW", "[ch15]") {
    const Golden arrays = golden("ch15_training");
    PretrainingState state = golden_start(arrays);
    double loss_error = 0.0;
    double norm_error = 0.0;
    for (std::size_t i = 0; i < 10; ++i) {
        const PretrainingBatch batch = golden_batch(arrays, i);
        const PretrainingReport report = pretraining_step(state, {&batch, 1}, golden_options());
        CHECK(report.step == i + 1);
        const auto error = [&](double found, const char* name) {
            const auto expected = static_cast<double>(arrays.at(name)(i));
            return std::abs(found - expected) / expected;
        };
        loss_error = std::max({loss_error, error(report.counts.mean_mlm_loss(), "mlm_losses"),
                               error(report.counts.mean_nsp_loss(), "nsp_losses")});
        norm_error = std::max(norm_error, error(report.gradient_norm, "norms"));
        CHECK(report.gradient_norm > 1.0);  // so that clipping is tried
    }
    std::cout << "losses: " << loss_error << ", norms: " << norm_error << "\n";
    CHECK(loss_error <= by_precision(2.4e-7, 1.6e-15));  // seen: 0, 4e-16
    CHECK(norm_error <= by_precision(5e-7, 8e-16));      // seen: 1.2e-7, 1.9e-16
    for_each_parameter(state.bert, [&](const std::string& name, const Tensor& parameter) {
        // Seen: 2.4e-7, 2.8e-16; where the gradient is noise 2.2e-7, 2.1e-15.
        check_close(name, parameter, arrays.at("end." + name),
                    by_precision(1e-6, is_noise(name) ? 8e-15 : 1.2e-15));
    });
}

TEST_CASE("pretraining_step: the same bits for any number of threads", "[ch15]") {
    BertConfig config = small_config();
    config.vocab_size = 1000;
    config.hidden_size = 128;
    config.intermediate_size = 520;
    config.max_position_embeddings = 64;
    const PretrainingOptions options{.steps = 3, .warmup = 1};
    Random random{3};
    const PretrainingBatch batch =
        make_pretraining_batch(random_examples(random, 16, 64, 9, 1000), 0);
    const auto trained_with = [&](int count) {
        const ThreadsGuard threads{count};
        PretrainingState state = start_pretraining(config, options);
        for (int i = 0; i < 3; ++i)
            pretraining_step(state, {&batch, 1}, options);
        return state;
    };
    const PretrainingState one = trained_with(1);
    CHECK(same_weights(trained_with(2), one));
    CHECK(same_weights(trained_with(3), one));
}

TEST_CASE("pretraining_step: accumulated batches are one large batch", "[ch15]") {
    const PretrainingOptions options{.steps = 2, .batch_size = 6, .warmup = 1};
    Random random{3};
    std::vector<PretrainingExample> examples = random_examples(random, 6, 12, 4, 37);
    examples[0].positions.resize(1);  // batches with different numbers of chosen tokens
    examples[0].replacements.resize(1);
    const auto train_in = [&](const std::vector<std::size_t>& sizes) {
        std::vector<PretrainingBatch> batches;
        std::size_t begin = 0;
        for (const std::size_t size : sizes) {
            batches.push_back(make_pretraining_batch(std::span{examples}.subspan(begin, size), 0));
            begin += size;
        }
        PretrainingState state = start_pretraining(without_dropout(small_config()), options);
        const PretrainingReport report = pretraining_step(state, batches, options);
        CHECK(report.counts.tokens == 21);
        return report;
    };
    const PretrainingReport whole = train_in({6});
    const PretrainingReport parts = train_in({1, 3, 2});
    // Seen: 3e-8 and 4e-8 of themselves.
    CHECK(std::abs(parts.gradient_norm / whole.gradient_norm - 1.0) <= by_precision(4e-7, 1e-14));
    CHECK(std::abs(parts.counts.mean_loss() / whole.counts.mean_loss() - 1.0) <=
          by_precision(4e-7, 1e-14));
}

TEST_CASE("pretraining_step: dropout goes on where the step before left it", "[ch15]") {
    const PretrainingOptions options{.steps = 3, .warmup = 1};
    const PretrainingBatch batch = small_batch(1);
    PretrainingState state = start_pretraining(small_config(), options);
    CHECK(state.dropout_positions == std::array<std::uint64_t, 2>{0, 0});
    pretraining_step(state, {&batch, 1}, options);
    const auto after_one = state.dropout_positions;
    // The embeddings and two places a layer, and the weights of two heads, each once.
    CHECK(after_one[0] == 5 * 4 * 12 * 16);
    CHECK(after_one[1] == 2 * 4 * 2 * 12 * 12);
    pretraining_step(state, {&batch, 1}, options);
    CHECK(state.dropout_positions ==
          std::array<std::uint64_t, 2>{2 * after_one[0], 2 * after_one[1]});
}

TEST_CASE("pretraining_step: learns a batch by heart", "[ch15]") {
    const PretrainingOptions options{.steps = 150, .learning_rate = 5e-3, .warmup = 10};
    const PretrainingBatch batch = small_batch(1);
    PretrainingState state = start_pretraining(without_dropout(small_config()), options);
    const PretrainingReport first = pretraining_step(state, {&batch, 1}, options);
    PretrainingReport last = first;
    while (state.step < options.steps)
        last = pretraining_step(state, {&batch, 1}, options);
    CHECK(first.counts.mean_loss() > 4.0);
    CHECK(last.counts.mean_loss() < 0.1);
    CHECK(last.counts.mlm_right == 12);
    CHECK(last.counts.nsp_right == 4);
}

TEST_CASE("pretraining_step: names what is not finite and leaves the state alone", "[ch15]") {
    const PretrainingOptions options{.steps = 3, .warmup = 1};
    const PretrainingBatch batch = small_batch(1);
    PretrainingState state = start_pretraining(small_config(), options);
    pretraining_step(state, {&batch, 1}, options);
    const PretrainingState before = state;
    Tensor& weight = state.bert.model.encoder.layers[1].feed_forward.inner.weight;
    weight(2, 3) = std::numeric_limits<Real>::quiet_NaN();
    track(weight);
    CHECK_THROWS_WITH(pretraining_step(state, {&batch, 1}, options),
                      Catch::Matchers::ContainsSubstring("step 2: encoder layer 1"));
    CHECK(state.step == 1);
    CHECK(state.adam.steps == 1);
    CHECK(state.dropout_positions == before.dropout_positions);
    state.bert.model.encoder.layers[1].feed_forward.inner.weight =
        before.bert.model.encoder.layers[1].feed_forward.inner.weight;
    CHECK(same_weights(state, before));
    CHECK_THROWS_AS(pretraining_step(state, {}, options), std::invalid_argument);
}

TEST_CASE("start_pretraining: refuses options out of range and models without heads", "[ch15]") {
    const auto refused = [](const PretrainingOptions& options, const char* message) {
        CHECK_THROWS_WITH(require_pretraining_options(options),
                          Catch::Matchers::ContainsSubstring(message));
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    refused({.steps = 0}, "steps (found 0, expected at least 1)");
    refused({.batch_size = 0}, "batch size (found 0");
    refused({.accumulate = 0}, "batches of a step (found 0");
    refused({.batch_size = 4, .accumulate = 5}, "batches of a step (found 5");
    refused({.learning_rate = nan}, "learning rate (found nan");
    refused({.learning_rate = 0}, "learning rate (found 0");
    refused({.steps = 5, .warmup = 5}, "warm-up (found 5");
    refused({.weight_decay = -0.1}, "weight decay (found -0.1");
    refused({.max_gradient_norm = 0}, "largest gradient norm (found 0");
    CHECK_NOTHROW(require_pretraining_options({}));
    Random random{1};
    for (const BertParts& parts : {BertParts{.pooler = false}, BertParts{.predictions = false},
                                   BertParts{.seq_relationship = false}}) {
        CHECK_THROWS_AS(start_pretraining(random_bert(random, small_config(), parts), {}),
                        std::invalid_argument);
    }
}
