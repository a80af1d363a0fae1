#include "ch09_translation/training.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/autograd/tape.hpp"
#include "common/tensor/layout.hpp"
#include "tests/ch07_encoder/golden_parameters.hpp"
#include "tests/ch09_translation/small_training.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Pairs of 8 to 15 words that mean nothing.
TrainingBatch random_batch(std::size_t pairs, std::int64_t words, std::uint64_t seed) {
    Random random{seed};
    const auto sentence = [&] {
        TokenIds ids(8 + random.below(8));
        std::generate(ids.begin(), ids.end(), [&] {
            return 3 +
                   static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(words) - 3));
        });
        return ids;
    };
    std::vector<PairIds> batch;
    for (std::size_t i = 0; i < pairs; ++i) {
        batch.push_back({sentence(), sentence()});
        batch.back().source.push_back(end_id);
    }
    return make_training_batch(batch);
}

// State and reports after two steps, as bytes.
std::string trained_with(int threads, const TransformerSize& size, std::size_t pairs) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    const TrainingOptions options{.steps = 2, .warmup = 1};
    TrainingState state = start_training(size, options);
    std::string reports;
    for (std::uint64_t step = 0; step < 2; ++step) {
        const auto words = static_cast<std::int64_t>(size.target_words);
        reports += digits_of(train_step(state, random_batch(pairs, words, step), options));
    }
    omp_set_num_threads(before);
    return reports + bytes_of(state);
}

TrainingState small_state(const TrainingOptions& options) {
    const TrainingData data = small_data();
    return start_training({data.source.size(), data.target.size(), small_max_length, {1, 8, 2, 12}},
                          options);
}

Tensor entry(const Tensor& x, std::size_t i) {
    return slice(x, 0, i, i + 1).reshaped(Shape(x.shape().begin() + 1, x.shape().end()));
}

TokenBatch golden_tokens(const Tensor& ids) {
    TokenBatch batch{ids.dim(0), ids.dim(1), {}, Tensor(ids.shape())};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        batch.ids.push_back(std::llround(static_cast<double>(ids.data()[i])));
        batch.attention_mask.mutable_data()[i] = batch.ids.back() == pad_id ? Real{0} : Real{1};
    }
    return batch;
}

std::map<std::string, Tensor> with_prefix(const std::map<std::string, Tensor>& arrays,
                                          const std::string& prefix) {
    std::map<std::string, Tensor> part;
    for (const auto& [name, x] : arrays) {
        if (name.starts_with(prefix)) part.emplace(name.substr(prefix.size()), x);
    }
    return part;
}

}  // namespace

TEST_CASE("train_step: the number of threads changes no bit", "[ch09]") {
    // So large that every loop that can be shared is (65536 numbers): 34 pairs of up to 16 words,
    // width 128, 8 heads, inner width 520, 130 words.
    const TransformerSize large{130, 130, 20, {1, 128, 8, 520}};
    const TransformerSize small{11, 11, 20, {2, 6, 3, 10}};
    const std::string of_large = trained_with(1, large, 34);
    const std::string of_small = trained_with(1, small, 2);
    for (const int threads : {2, 3}) {
        INFO(threads << " threads");
        CHECK((trained_with(threads, large, 34) == of_large));
        CHECK((trained_with(threads, small, 2) == of_small));
    }
}

TEST_CASE("train_step: five steps equal PyTorch", "[ch09]") {
    const std::map<std::string, Tensor> arrays = golden("ch09_training");
    const TrainingOptions options{.steps = 5,
                                  .batch_size = 3,
                                  .learning_rate = 2e-3,
                                  .warmup = 2,
                                  .label_smoothing = 0.1,
                                  .dropout = 0.0,
                                  .max_gradient_norm = 1.0};
    TrainingState state = start_training({13, 11, 7, {2, 24, 3, 40}}, options);
    load_parameters(state.model, with_prefix(arrays, "start."));
    track_parameters(state.model);
    double loss_error = 0.0;
    double norm_error = 0.0;
    for (std::size_t i = 0; i < options.steps; ++i) {
        const TrainingBatch batch{golden_tokens(entry(arrays.at("source"), i)),
                                  golden_tokens(entry(arrays.at("input"), i)),
                                  golden_tokens(entry(arrays.at("labels"), i)).ids};
        if (i == 0) {
            check_close("logits", state.model.logits(batch.source, batch.input),
                        arrays.at("logits"), by_precision(2.4e-6, 6e-15));  // seen: 6e-7, 1.4e-15
        }
        const StepReport report = train_step(state, batch, options);
        CHECK(report.step == i + 1);
        const auto difference = [&](double found, const char* name) {
            return std::abs(found - static_cast<double>(arrays.at(name)(i)));
        };
        loss_error = std::max(loss_error, difference(report.loss, "losses"));
        norm_error = std::max(norm_error, difference(report.gradient_norm, "norms"));
        CHECK(report.gradient_norm > 1.0);  // so that clipping is tried
    }
    std::cout << "losses: " << loss_error << ", norms: " << norm_error << "\n";
    CHECK(loss_error <= by_precision(1e-6, 4e-15));  // largest seen: 2.4e-7, 8.9e-16
    CHECK(norm_error <= by_precision(6e-6, 4e-15));  // largest seen: 1.4e-6, 8.9e-16
    for_each_parameter(state.model, [&](const std::string& name, const Tensor& parameter) {
        // Scores that all change alike change no softmax: the gradient of a key's bias is 0, and
        // Adam makes steps of what rounding leaves of it. Largest seen: 1.3e-3, 1.9e-11; of all
        // others 2.4e-7, 4.3e-16.
        const bool is_noise = name.ends_with("key.bias");
        check_close(name, parameter, arrays.at("end." + name),
                    is_noise ? by_precision(5e-3, 8e-11) : by_precision(1e-6, 2e-15));
    });
}

TEST_CASE("train_step: a model learns a sentence by heart", "[ch09]") {
    const TrainingOptions options{.steps = 80,
                                  .batch_size = 1,
                                  .learning_rate = 1e-2,
                                  .warmup = 5,
                                  .label_smoothing = 0.0,
                                  .dropout = 0.0};
    TrainingState state = small_state(options);
    const TrainingBatch batch = make_training_batch({small_data().train[0]});
    const double first = train_step(state, batch, options).loss;
    double last = first;
    while (state.step < options.steps)
        last = train_step(state, batch, options).loss;
    CHECK(first > 1.0);  // seen: 3.6; about ln 22 without training
    CHECK(last < 0.2);   // seen: 0.054
}

TEST_CASE("train_step: reports what the step used", "[ch09]") {
    const TrainingOptions options = small_run().training;
    TrainingState state = small_state(options);
    const TrainingBatch batch = make_training_batch(small_data().train);
    for (std::uint64_t step = 1; step <= 4; ++step) {
        const StepReport report = train_step(state, batch, options);
        CHECK(report.step == step);
        CHECK(report.learning_rate == learning_rate_at(step, options));
        CHECK(report.loss > 0.0);
        CHECK(report.gradient_norm > 0.0);
        CHECK(state.step == step);
        CHECK(state.adam.steps == step);
    }
}

TEST_CASE("train_step: every step has dropout of its own", "[ch09]") {
    const TrainingOptions options{.steps = 10, .warmup = 1, .dropout = 0.3};
    const TrainingBatch batch = make_training_batch(small_data().train);
    TrainingState state = small_state(options);
    TrainingState same = state;
    TrainingState later = state;
    later.dropout_position = 1000;
    const StepReport report = train_step(state, batch, options);
    CHECK(state.dropout_position > 0);
    CHECK(digits_of(train_step(same, batch, options)) == digits_of(report));
    CHECK(train_step(later, batch, options).loss != report.loss);
}

TEST_CASE("start_training: weights follow from the seed", "[ch09]") {
    TrainingOptions options = small_run().training;
    const TrainingState state = small_state(options);
    CHECK(bytes_of(small_state(options)) == bytes_of(state));
    CHECK(is_tracked(state.model.generator.linear.bias));
    CHECK(state.adam.settings.beta1 == 0.9);
    CHECK(state.adam.settings.beta2 == 0.98);
    CHECK(state.adam.settings.epsilon == 1e-9);
    CHECK(state.adam.settings.weight_decay == 0.0);
    options.seed = 10;
    CHECK(bytes_of(small_state(options)) != bytes_of(state));
}

TEST_CASE("learning_rate_at: rises to the peak and falls to nothing", "[ch09]") {
    const TrainingOptions options{.steps = 10, .learning_rate = 0.8, .warmup = 4};
    CHECK_THAT(learning_rate_at(1, options), WithinAbs(0.2, 1e-15));
    CHECK_THAT(learning_rate_at(4, options), WithinAbs(0.8, 1e-15));
    CHECK_THAT(learning_rate_at(5, options), WithinAbs(0.8 * 6 / 7, 1e-15));
    CHECK_THAT(learning_rate_at(10, options), WithinAbs(0.8 / 7, 1e-15));
    CHECK_THROWS_AS(learning_rate_at(11, options), std::invalid_argument);
}

TEST_CASE("train_step: a number that is not finite names the step and changes nothing", "[ch09]") {
    const TrainingOptions options = small_run().training;
    const TrainingBatch batch = make_training_batch(small_data().train);
    for (const std::uint64_t steps_before : {0U, 1U}) {
        TrainingState start = small_state(options);
        while (start.step < steps_before)
            train_step(start, batch, options);
        const std::size_t count = parameters_of(start.model).size();
        for (std::size_t i = 0; i < count; ++i) {
            for (const double wrong : {not_a_number, infinity}) {
                TrainingState state = start;
                const NamedParameter parameter = parameters_of(state.model)[i];
                // The first word, which is in the batch; elsewhere the first number.
                const std::size_t place = parameter.name.ends_with("embedding") ? 3 * 8 : 0;
                parameter.tensor->mutable_data()[place] = static_cast<Real>(wrong);
                track(*parameter.tensor);
                const std::string before = bytes_of(state);
                INFO(parameter.name << " " << wrong);
                CHECK_THROWS_AS(train_step(state, batch, options), NumericError);
                CHECK_THROWS_WITH(
                    train_step(state, batch, options),
                    ContainsSubstring("step " + std::to_string(steps_before + 1) + ": "));
                CHECK((bytes_of(state) == before));
            }
        }
    }
}

TEST_CASE("train_step: a loss that overflows ends with the step although no gradient does",
          "[ch09]") {
    const TrainingData data = test::small_data();
    const TrainingOptions options = test::small_run().training;
    TrainingState state = start_training(
        {data.source.size(), data.target.size(), test::small_max_length, test::small_run().layers},
        options);
    // Every label is so much less probable than <pad> that the loss is beyond Real.
    const Real huge = std::numeric_limits<Real>::max() * Real{0.875};
    for (std::size_t v = 0; v < data.target.size(); ++v)
        state.model.generator.linear.bias(v) = v == 0 ? huge : -huge;
    const std::string before = test::bytes_of(state);
    CHECK_THROWS_AS(train_step(state, make_training_batch(data.train), options), NumericError);
    CHECK_THROWS_WITH(train_step(state, make_training_batch(data.train), options),
                      ContainsSubstring("step 1: loss"));
    const bool unchanged = test::bytes_of(state) == before;
    CHECK(unchanged);
}

TEST_CASE("train_step: a number that goes wrong is found in its layer", "[ch09]") {
    const TrainingData data = test::small_data();
    RunOptions run = test::small_run();
    run.layers.num_layers = 2;
    const auto message = [&](auto spoil) {
        TrainingState state = start_training(
            {data.source.size(), data.target.size(), test::small_max_length, run.layers},
            run.training);
        spoil(state.model);
        try {
            train_step(state, make_training_batch(data.train), run.training);
        } catch (const NumericError& e) {
            return std::string{e.what()};
        }
        return std::string{};
    };
    CHECK(message([](Transformer& m) {
              m.encoder.layers[1].feed_forward.inner.bias(0) = static_cast<Real>(not_a_number);
          }).starts_with("step 1: encoder layer 1: "));
    CHECK(message([](Transformer& m) {
              m.decoder.layers[1].feed_forward.inner.bias(0) = static_cast<Real>(not_a_number);
          }).starts_with("step 1: decoder layer 1: "));
}

TEST_CASE("train_step: a learning rate that blows up ends with the step named", "[ch09]") {
    TrainingOptions options = small_run().training;
    options.learning_rate = by_precision(1e30, 1e200);
    options.warmup = 0;
    TrainingState state = small_state(options);
    const TrainingBatch batch = make_training_batch(small_data().train);
    train_step(state, batch, options);
    const std::string before = bytes_of(state);
    CHECK_THROWS_AS(train_step(state, batch, options), NumericError);
    CHECK_THROWS_WITH(train_step(state, batch, options), ContainsSubstring("step 2: "));
    CHECK((bytes_of(state) == before));
}

TEST_CASE("train_step: tokens outside the vocabulary are refused and change nothing", "[ch09]") {
    const TrainingOptions options = small_run().training;
    TrainingState state = small_state(options);
    const std::string before = bytes_of(state);
    CHECK_THROWS_AS(train_step(state, make_training_batch({{{1000, 2}, {3}}}), options),
                    std::invalid_argument);
    CHECK_THROWS_AS(train_step(state, make_training_batch({{{3, 2}, {1000}}}), options),
                    std::invalid_argument);
    CHECK_THROWS_AS(train_step(state, make_training_batch({{TokenIds(10, 3), {3}}}), options),
                    ShapeError);
    TrainingBatch batch = make_training_batch({{{3, 2}, {3}}});
    batch.labels.pop_back();
    CHECK_THROWS_AS(train_step(state, batch, options), ShapeError);
    CHECK((bytes_of(state) == before));
}

TEST_CASE("require_training_options: each out of range is refused by name", "[ch09]") {
    CHECK_NOTHROW(require_training_options({}));
    const auto refused = [](const std::function<void(TrainingOptions&)>& change,
                            const std::string& message) {
        TrainingOptions options;
        change(options);
        INFO(message);
        CHECK_THROWS_AS(require_training_options(options), std::invalid_argument);
        CHECK_THROWS_WITH(require_training_options(options), ContainsSubstring(message));
        CHECK_THROWS_AS(small_state(options), std::invalid_argument);
    };
    refused([](auto& o) { o.steps = 0; }, "steps (found 0, expected at least 1)");
    refused([](auto& o) { o.batch_size = 0; }, "batch size (found 0, expected at least 1)");
    refused([](auto& o) { o.warmup = o.steps; },
            "warm-up (found 3000, expected fewer than all steps)");
    for (const double wrong : {0.0, -1e-3, not_a_number, infinity}) {
        refused([wrong](auto& o) { o.learning_rate = wrong; }, "learning rate (found ");
        refused([wrong](auto& o) { o.max_gradient_norm = wrong; }, "largest gradient norm (found ");
    }
    for (const double wrong : {1.0, -0.1, not_a_number, infinity}) {
        refused([wrong](auto& o) { o.label_smoothing = wrong; }, "label smoothing (found ");
        refused([wrong](auto& o) { o.dropout = wrong; }, "dropout (found ");
    }
}
