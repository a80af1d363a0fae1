// bert bench: how fast a model of random weights runs, and the tokenizer.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch14_bert/bert.hpp"
#include "ch15_pretraining/pretraining_step.hpp"
#include "ch15_pretraining/random_examples.hpp"
#include "common/cli/program.hpp"
#include "common/io/input_file.hpp"
#include "common/random/random.hpp"
#include "common/tensor/memory.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/finite_tensors.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

struct Options {
    std::optional<std::string> size;
    std::optional<std::string> batch;
    std::optional<std::string> tokens;
    std::optional<std::string> repeat;
};

constexpr std::size_t most_repeats = 100'000;
constexpr std::uint64_t largest_text = std::uint64_t{1} << 30;

double seconds_of(const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// One run to warm up, then the timed ones.
std::vector<double> timed(std::size_t repeat, const std::function<void()>& work) {
    std::vector<double> seconds;
    work();
    for (std::size_t i = 0; i < repeat; ++i)
        seconds.push_back(seconds_of(work));
    return seconds;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// [x,y] with as many decimals.
std::string list_of(const std::vector<double>& values, int decimals) {
    std::string text;
    for (const double x : values)
        text += fmt::format("{}{:.{}f}", text.empty() ? "[" : ",", x, decimals);
    return text + "]";
}

// The multiplications and additions of products: those of the layers, and of a pooler.
double operations(const BertConfig& config, bool has_pooler, std::size_t batch,
                  std::size_t tokens) {
    const auto d = static_cast<double>(config.hidden_size);
    const auto f = static_cast<double>(config.intermediate_size);
    const auto b = static_cast<double>(batch);
    const auto rows = static_cast<double>(batch * tokens);
    const double layer =
        2 * rows * (4 * d * d + 2 * d * f) + 4 * rows * static_cast<double>(tokens) * d;
    return layer * static_cast<double>(config.num_hidden_layers) +
           (has_pooler ? 2 * b * d * d : 0.0);
}

BertInput random_input(const BertConfig& config, std::size_t batch, std::size_t tokens) {
    Random random{2};
    std::vector<std::int64_t> ids(batch * tokens);
    for (std::int64_t& id : ids)
        id = static_cast<std::int64_t>(random.below(config.vocab_size));
    return input_of_ids(std::move(ids), batch);
}

struct Work {
    std::string name;  // a size, or the folder of a checkpoint
    std::size_t batch;
    std::size_t tokens;
    std::size_t repeat;
};

void require_room_for(const Work& work, const BertConfig& config) {
    require_room(
        "the run",
        16.0 * static_cast<double>(work.batch * work.tokens * config.hidden_size) * sizeof(Real));
}

PretrainedBert model_for(const Work& work, const Invocation& invocation) {
    if (invocation.model) {
        PretrainedBert model = load_model(invocation);
        const std::size_t positions = model.config().max_position_embeddings;
        if (work.tokens > positions)
            throw UsageError{
                fmt::format("--tokens: too many (found {}, expected at most the {} "
                            "positions of the model)",
                            work.tokens, positions)};
        require_room_for(work, model.config());
        return model;
    }
    BertConfig config = bert_size(work.name);
    config.max_position_embeddings = std::max(config.max_position_embeddings, work.tokens);
    require_memory(config);
    require_room_for(work, config);
    Random random{1};
    return PretrainedBert::random(random, config);
}

void write_times(const Work& work, std::vector<double> milliseconds, double operations_of_a_run,
                 const Invocation& invocation) {
    const double gflops = operations_of_a_run / median(milliseconds) / 1e9;
    for (double& time : milliseconds)
        time *= 1e3;
    if (invocation.json) {
        write_result(
            fmt::format("{{\"milliseconds\":{},\"peak_rss_mb\":{:.1f},\"gflops\":{:.1f}}}\n",
                        list_of(milliseconds, 3), peak_memory() / 1e6, gflops));
        return;
    }
    write_result(printable(work.name) +
                 fmt::format(", batch {}, {} tokens: median {:.1f} ms of {} runs (least {:.1f}), "
                             "{:.1f} GFLOP/s, peak memory {:.0f} MB\n",
                             work.batch, work.tokens, median(milliseconds), work.repeat,
                             *std::min_element(milliseconds.begin(), milliseconds.end()), gflops,
                             peak_memory() / 1e6));
}

void run_forward(const Work& work, const Invocation& invocation) {
    const PretrainedBert model = model_for(work, invocation);
    const BertInput input = random_input(model.config(), work.batch, work.tokens);
    const bool has_pooler = model.bert().model.pooler.has_value();
    write_times(work, timed(work.repeat, [&] { model(input); }),
                operations(model.config(), has_pooler, work.batch, work.tokens), invocation);
}

Work work_of(const Options& options, const Invocation& invocation, std::size_t fewest_tokens) {
    const std::string kind = "bench " + invocation.arguments[0];
    if (invocation.arguments.size() > 1)
        throw UsageError{kind + ": takes no " + invocation.arguments[1]};
    if (invocation.model && options.size) throw UsageError{kind + ": --model or --size, not both"};
    return {invocation.model.value_or(options.size.value_or("base")),
            whole_number("--batch", options.batch, 1, 4096).value_or(1),
            whole_number("--tokens", options.tokens, fewest_tokens, 4096).value_or(128),
            whole_number("--repeat", options.repeat, 1, most_repeats).value_or(10)};
}

void bench_forward(const Options& options, const Invocation& invocation) {
    const Work work = work_of(options, invocation, 1);
    if (!invocation.model) return run_forward(work, invocation);
    naming_tensors([&work](const Invocation& named) { run_forward(work, named); })(invocation);
}

// Chosen of T tokens: 15 %, at most 20, as in published pre-training with 128.
std::size_t chosen_of(std::size_t tokens) {
    return std::clamp<std::size_t>(tokens * 15 / 100, 1, 20);
}

// A gradient takes two products for each one forward. The decoder sees chosen tokens only.
double training_operations(const Work& work, const BertConfig& config) {
    const auto d = static_cast<double>(config.hidden_size);
    const auto chosen = static_cast<double>(work.batch * chosen_of(work.tokens));
    const double head = 2 * chosen * d * (d + static_cast<double>(config.vocab_size));
    return 3 * (operations(config, true, work.batch, work.tokens) + head);
}

// About 34 D and 5 H T numbers for every token of every layer, and four for every weight.
void require_room_to_train(const Work& work, const BertConfig& config) {
    require_memory(config, memory_limit() / 4);
    const auto layers = static_cast<double>(config.num_hidden_layers);
    const auto d = static_cast<double>(config.hidden_size);
    const auto maps = static_cast<double>(config.num_attention_heads * work.tokens);
    const auto rows = static_cast<double>(work.batch * work.tokens);
    require_room("the step", layers * rows * (34.0 * d + 5.0 * maps) * sizeof(Real));
}

void bench_train(const Options& options, const Invocation& invocation) {
    const Work work = work_of(options, invocation, 5);
    if (invocation.model)
        throw UsageError{"bench train: takes --size, and no --model: its weights are random"};
    BertConfig config = bert_size(work.name);
    config.max_position_embeddings = std::max(config.max_position_embeddings, work.tokens);
    require_room_to_train(work, config);
    const PretrainingOptions training{.steps = 1'000'000, .learning_rate = 1e-4};
    PretrainingState state = start_pretraining(config, training);
    Random random{2};
    const PretrainingBatch batch = make_pretraining_batch(
        random_examples(random, work.batch, work.tokens, chosen_of(work.tokens), config.vocab_size),
        0);
    write_times(work,
                timed(work.repeat,
                      [&] {
                          pretraining_step(state, {&batch, 1}, training);
                      }),
                training_operations(work, config), invocation);
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::size_t count_tokens(const Tokenizer& tokenizer, const std::vector<std::string_view>& lines) {
    std::size_t tokens = 0;
    const auto count = static_cast<std::int64_t>(lines.size());
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : tokens)
    for (std::int64_t i = 0; i < count; ++i)
        tokens += tokenizer(lines[static_cast<std::size_t>(i)]).size();
    return tokens;
}

void bench_tokenize(const Options& options, const Invocation& invocation) {
    if (invocation.arguments.size() != 2) throw UsageError{"bench tokenize: one FILE is missing"};
    if (options.size || options.batch || options.tokens)
        throw UsageError{"bench tokenize: takes --model, --repeat and --threads only"};
    const std::size_t repeat =
        whole_number("--repeat", options.repeat, 1, most_repeats).value_or(5);
    const Tokenizer tokenizer = load_tokenizer(invocation);
    const std::string text = read_file(invocation.arguments[1], largest_text);
    const std::vector<std::string_view> lines = lines_of(text);
    std::size_t tokens = 0;
    const std::vector<double> seconds =
        timed(repeat, [&] { tokens = count_tokens(tokenizer, lines); });
    const double time = std::max(median(seconds), 1e-9);
    const double bytes_a_second = static_cast<double>(text.size()) / time;
    const double tokens_a_second = static_cast<double>(tokens) / time;
    if (invocation.json) {
        write_result(
            fmt::format("{{\"seconds\":{},\"bytes\":{},\"tokens\":{},"
                        "\"bytes_per_second\":{:.0f},\"tokens_per_second\":{:.0f}}}\n",
                        list_of(seconds, 6), text.size(), tokens, bytes_a_second, tokens_a_second));
        return;
    }
    write_result(
        fmt::format("{} bytes, {} tokens: median {:.4f} s of {} runs, {:.1f} MB and "
                    "{:.0f} tokens a second\n",
                    text.size(), tokens, time, repeat, bytes_a_second / 1e6, tokens_a_second));
}

void run(const Options& options, const Invocation& invocation) {
    const std::string kind = invocation.arguments.empty() ? "" : invocation.arguments.front();
    if (kind == "tokenize") return bench_tokenize(options, invocation);
    if (kind == "forward") return bench_forward(options, invocation);
    if (kind == "train") return bench_train(options, invocation);
    throw UsageError{"bench: what? (found " + (kind.empty() ? "nothing" : kind) +
                     ", expected forward, train or tokenize)"};
}

}  // namespace

Command bench_command() {
    const auto options = std::make_shared<Options>();
    return {.name = "bench",
            .summary = "Time a model, of random weights or a checkpoint's, or the tokenizer",
            .examples =
                "  bert bench forward --size base --batch 8 --tokens 128 --repeat 5\n"
                "  bert bench forward --model DIR --tokens 64\n"
                "  bert bench train --size mini --batch 32 --repeat 5\n"
                "  bert bench tokenize --model DIR text.txt --threads 1\n",
            .arguments = "WHAT",
            .arguments_description = "...  forward, train, or tokenize FILE",
            .options = {{"--size", "NAME",
                         "Of random weights: tiny, mini, small, medium, base (without it) or large",
                         &options->size},
                        {"--batch", "B", "Texts at once (1)", &options->batch},
                        {"--tokens", "T", "Tokens of each (128)", &options->tokens},
                        {"--repeat", "N", "Timed runs, after one more (10; of tokenize 5)",
                         &options->repeat}},
            .run = [options](const Invocation& invocation) { run(*options, invocation); }};
}

}  // namespace bert
