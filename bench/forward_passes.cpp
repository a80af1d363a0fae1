// Forward passes of a BERT with random weights, one for each line "B T" on standard input: what
// tools/bench/inference.py times side by side with its peers.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "common/cli/program.hpp"
#include "common/tensor/memory.hpp"

namespace {

using namespace bert;

BertInput random_input(Random& random, std::size_t batch, std::size_t tokens, std::size_t words) {
    std::vector<std::int64_t> ids(batch * tokens);
    for (std::int64_t& id : ids)
        id = static_cast<std::int64_t>(random.below(words));
    return input_of_ids(std::move(ids), batch);
}

ExitCode run(const std::vector<std::string>& arguments) {
    if (arguments.size() != 1)
        throw UsageError{"forward_passes: SIZE; tools/bench/inference.py calls it"};
    Random random{1};
    const BertConfig config = bert_size(arguments[0]);
    const PretrainedBert model = PretrainedBert::random(random, config);
    std::size_t batch = 0;
    std::size_t tokens = 0;
    while (std::cin >> batch >> tokens) {
        const BertInput input = random_input(random, batch, tokens, config.vocab_size);
        const auto start = std::chrono::steady_clock::now();
        const BertOutput output = model(input);
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        fmt::print("{:.3f} {:.1f}\n", time.count(), peak_memory() / (1 << 20));
        std::fflush(stdout);
    }
    return ExitCode::success;
}

}  // namespace

int main(int argc, char** argv) {
    return run_guarded([&] { return run(std::vector<std::string>(argv + 1, argv + argc)); });
}
