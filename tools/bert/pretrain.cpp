// bert pretrain: trains a BERT from text alone, with masked tokens and next sentences.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ch15_pretraining/pretraining_run.hpp"
#include "common/cli/program.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

using Value = std::optional<std::string>;

struct Options {
    Value config;
    Value vocabulary;
    Value data;
    Value out;
    Value init;
    Value resume;
    Value steps;
    Value batch;
    Value accumulate;
    Value learning_rate;
    Value warmup;
    Value weight_decay;
    Value max_gradient_norm;
    Value seed;
    Value checkpoint_every;
    Value keep;
    Value log;
    Value validation;
    Value validate_every;
};

constexpr std::size_t most_steps = std::size_t{1} << 40;
constexpr std::size_t most_examples = std::size_t{1} << 20;  // of a step
constexpr std::size_t most_seed = (std::size_t{1} << 63) - 1;

double positive(const char* option, const Value& text, double otherwise, bool zero_too = false) {
    return text ? parse_positive(option, *text, zero_too) : otherwise;
}

// Defaults are those of PretrainingOptions, but for a warm-up that goes with the steps.
PretrainingOptions training_of(const Options& o) {
    PretrainingOptions t;
    t.steps = whole_number("--steps", o.steps, 1, most_steps).value_or(t.steps);
    t.batch_size = whole_number("--batch", o.batch, 1, most_examples).value_or(t.batch_size);
    t.accumulate =
        whole_number("--accumulate", o.accumulate, 1, t.batch_size).value_or(t.accumulate);
    t.learning_rate = positive("--lr", o.learning_rate, t.learning_rate);
    t.warmup = whole_number("--warmup", o.warmup, 0, t.steps - 1).value_or(t.steps / 10);
    t.weight_decay = positive("--weight-decay", o.weight_decay, t.weight_decay, true);
    t.max_gradient_norm = positive("--max-grad-norm", o.max_gradient_norm, t.max_gradient_norm);
    t.seed = whole_number("--seed", o.seed, 0, most_seed).value_or(t.seed);
    return t;
}

std::string required(const Value& value, const char* option) {
    if (!value) throw UsageError{fmt::format("pretrain: {} is missing", option)};
    return *value;
}

PretrainingPaths paths_of(const Options& o) {
    PretrainingPaths paths;
    if (!o.init || o.config) paths.config = required(o.config, "--config config.json");
    if (!o.init || o.vocabulary) paths.vocabulary = required(o.vocabulary, "--vocab vocab.txt");
    paths.data = required(o.data, "--data FILE");
    paths.validation = o.validation.value_or("");
    paths.init = o.init.value_or("");
    return paths;
}

void require_output(const Options& o, const PretrainingPaths& paths) {
    require_output_folder("--out", required(o.out, "--out DIR"));
    std::error_code fault;
    if (o.init && std::filesystem::equivalent(*o.init, *o.out, fault))
        throw UsageError{"--out: " + *o.out + " is the input of --init"};
    if (!o.log) return;
    require_output_path("--log", *o.log,
                        {paths.config, paths.vocabulary, paths.data, paths.validation});
}

void run(const Options& o, const Invocation& invocation) {
    PretrainingRun run;
    run.training = training_of(o);
    run.checkpoint_every = whole_number("--checkpoint-every", o.checkpoint_every, 1, most_steps)
                               .value_or(run.checkpoint_every);
    run.keep = whole_number("--keep", o.keep, 1, most_steps).value_or(run.keep);
    run.validate_every = whole_number("--validate-every", o.validate_every, 1, most_steps)
                             .value_or(run.checkpoint_every);
    if (o.validate_every && !o.validation)
        throw UsageError{"--validate-every: goes with --validation FILE"};
    run.paths = paths_of(o);
    require_output(o, run.paths);
    run.folder = *o.out;
    run.log = o.log.value_or("");
    run.resume = o.resume.has_value();
    run.progress = !invocation.quiet;
    run.tell = [&invocation](const std::string& line) { invocation.warn(line); };
    const PretrainingLog log = run_pretraining(run);
    const LoggedStep& last = log.steps.back();
    invocation.tell(fmt::format("wrote {}: {} steps, the last with loss {:.4f}", run.folder,
                                last.step, last.loss));
}

std::vector<CommandOption> list_of(Options& o) {
    return {
        {"--config", "FILE", "The model's config.json (with --init: that of its folder)",
         &o.config},
        {"--vocab", "FILE",
         "Its vocab.txt, which the data were made with; tokenizer_config.json beside it is "
         "read too (with --init: that of its folder)",
         &o.vocabulary},
        {"--data", "FILE", "Examples, made by bert make-data", &o.data},
        {"--out", "DIR", "Folder for model, log, curves and trainer_state/, made if missing",
         &o.out},
        {"--steps", "N", "Training steps (1000)", &o.steps},
        {"--batch", "B", "Examples of a step (32)", &o.batch},
        {"--accumulate", "K", "Batches that a step is cut into, to take less memory (1)",
         &o.accumulate},
        {"--lr", "X", "Learning rate at its peak (0.001; 0.0001 for a model as large as base)",
         &o.learning_rate},
        {"--warmup", "N", "Steps until the peak; linear decay follows (a tenth of the steps)",
         &o.warmup},
        {"--weight-decay", "X", "Of AdamW, on matrices only (0.01)", &o.weight_decay},
        {"--max-grad-norm", "X", "Longer gradients are cut to this norm (1)", &o.max_gradient_norm},
        {"--seed", "N", "Of weights, dropout, order and dynamic masking (1)", &o.seed},
        {"--checkpoint-every", "N", "Steps between checkpoints (500)", &o.checkpoint_every},
        {"--keep", "N", "Checkpoints to keep (2)", &o.keep},
        {"--log", "FILE", "One JSON object a step (DIR/log.jsonl)", &o.log},
        {"--resume", "", "Go on after the last checkpoint, or begin where there is none",
         &o.resume},
        {"--init", "DIR", "Go on from the weights of this Hugging Face folder", &o.init},
        {"--validation", "FILE", "Other examples, to evaluate now and then", &o.validation},
        {"--validate-every", "N", "Steps between (those between checkpoints)", &o.validate_every}};
}

}  // namespace

Command pretrain_command() {
    const auto options = std::make_shared<Options>();
    return {
        .name = "pretrain",
        .summary = "Train a BERT: masked tokens and next sentences",
        .examples =
            "  bert pretrain --config config.json --vocab vocab.txt --data data.bin --out model\n"
            "  bert pretrain --config config.json --vocab vocab.txt --data data.bin --out model "
            "--resume\n"
            "  bert pretrain --init model --data more.bin --out further --lr 1e-4\n",
        .takes_model = false,
        .takes_json = false,
        .options = list_of(*options),
        .run = [options](const Invocation& invocation) { run(*options, invocation); }};
}

}  // namespace bert
