// Training steps of an encoder-decoder, one for each line on standard input: what
// tools/bench/training.py times side by side with its peer.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "ch09_translation/training.hpp"
#include "common/cli/program.hpp"
#include "common/tensor/memory.hpp"

namespace {

using namespace bert;

struct Sizes {
    std::size_t width, layers, heads, inner, words, batch, tokens;
    double dropout;
};

TrainingBatch random_batch(const Sizes& s) {
    Random random{1};
    const auto sentence = [&](std::size_t length) {
        TokenIds ids;
        while (ids.size() < length)
            ids.push_back(3 + static_cast<std::int64_t>(random.below(s.words - 3)));
        return ids;
    };
    std::vector<PairIds> pairs;
    for (std::size_t b = 0; b < s.batch; ++b) {
        TokenIds source = sentence(s.tokens);
        pairs.push_back({std::move(source), sentence(s.tokens - 1)});  // and the start token
    }
    return make_training_batch(pairs);
}

ExitCode run(const std::vector<std::string>& arguments) {
    if (arguments.size() != 8) {
        throw UsageError{
            "training_steps: WIDTH LAYERS HEADS INNER WORDS BATCH TOKENS DROPOUT; "
            "tools/bench/training.py calls it"};
    }
    const auto number = [&](std::size_t i) {
        return static_cast<std::size_t>(
            parse_whole_number("size " + std::to_string(i + 1), arguments[i], 1, 1'000'000));
    };
    const Sizes s{number(0), number(1), number(2), number(3),
                  number(4), number(5), number(6), parse_positive("DROPOUT", arguments[7], true)};
    if (s.words < 4 || s.tokens < 2) throw UsageError{"at least 4 words and 2 tokens"};
    const TrainingOptions options{.steps = 1'000'000, .learning_rate = 1e-4, .dropout = s.dropout};
    TrainingState state = start_training({.source_words = s.words,
                                          .target_words = s.words,
                                          .max_length = s.tokens,
                                          .layers = {.num_layers = s.layers,
                                                     .width = s.width,
                                                     .num_heads = s.heads,
                                                     .inner_width = s.inner}},
                                         options);
    const TrainingBatch batch = random_batch(s);
    fmt::print("parameters {}\nmegabytes {:.1f}\n", parameter_count(state.model),
               peak_memory() / (1 << 20));
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
        const auto start = std::chrono::steady_clock::now();
        const StepReport report = train_step(state, batch, options);
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        fmt::print("{:.3f} {:.6f} {:.1f}\n", time.count(), report.loss, peak_memory() / (1 << 20));
        std::fflush(stdout);
    }
    return ExitCode::success;
}

}  // namespace

int main(int argc, char** argv) {
    return run_guarded([&] { return run({argv + 1, argv + argc}); });
}
