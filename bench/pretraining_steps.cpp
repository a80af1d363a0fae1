// Training steps of a BERT with random weights, one for each line on standard input: what
// tools/bench/pretraining.py times side by side with its peer.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "ch15_pretraining/pretraining_step.hpp"
#include "ch15_pretraining/random_examples.hpp"
#include "common/cli/program.hpp"
#include "common/tensor/memory.hpp"

namespace {

using namespace bert;

ExitCode run(const std::vector<std::string>& arguments) {
    if (arguments.size() != 5) {
        throw UsageError{
            "pretraining_steps: SIZE WORDS BATCH TOKENS PREDICTIONS; tools/bench/pretraining.py "
            "calls it"};
    }
    const auto number = [&](std::size_t i) {
        return static_cast<std::size_t>(
            parse_whole_number("number " + std::to_string(i), arguments[i], 1, 1'000'000));
    };
    BertConfig config = bert_size(arguments[0]);
    config.vocab_size = number(1);
    const PretrainingOptions options{.steps = 1'000'000, .learning_rate = 1e-4};
    PretrainingState state = start_pretraining(config, options);
    Random random{2};
    const PretrainingBatch batch = make_pretraining_batch(
        random_examples(random, number(2), number(3), number(4), config.vocab_size), 0);
    fmt::print("parameters {}\n", parameter_count(state.bert));
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
        const auto start = std::chrono::steady_clock::now();
        const PretrainingReport report = pretraining_step(state, {&batch, 1}, options);
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        fmt::print("{:.3f} {:.1f} {:.6f}\n", time.count(), peak_memory() / (1 << 20),
                   report.counts.mean_loss());
        std::fflush(stdout);
    }
    return ExitCode::success;
}

}  // namespace

int main(int argc, char** argv) {
    return run_guarded([&] { return run(std::vector<std::string>(argv + 1, argv + argc)); });
}
