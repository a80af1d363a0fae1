#include "ch09_translation/command_line.hpp"

#include <fmt/core.h>

namespace bert {

namespace {

template <typename Number>
void set_whole(Number& number, const char* option, const std::string& text, long lowest,
               long highest) {
    if (!text.empty())
        number = static_cast<Number>(parse_whole_number(option, text, lowest, highest));
}

}  // namespace

std::vector<ExtraOption> CommandLine::options() {
    return {
        {"--train", "", "Train a model in full: checkpoint, log and model go to --out", &train},
        {"--resume", "", "With --train: go on from the checkpoint in --out", &resume},
        {"--quiet", "", "With --train: no progress on standard error", &quiet},
        {"--source", "FILE", "Sentences to learn from, one a line (with --target)", &source},
        {"--target", "FILE", "Their translations, line by line", &target},
        {"--steps", "N", "Training steps", &steps},
        {"--batch", "N", "Pairs a step", &batch},
        {"--learning-rate", "X", "Learning rate at its peak", &learning_rate},
        {"--warmup", "N", "Steps until the peak", &warmup},
        {"--seed", "N", "Seed of weights, order and dropout", &seed},
        {"--checkpoint-every", "N", "Steps between checkpoints", &checkpoint_every},
        {"--layers", "N", "Layers of the encoder, and of the decoder", &layers},
        {"--width", "N", "Model width", &width},
        {"--heads", "N", "Attention heads", &heads},
        {"--inner-width", "N", "Inner width of the feed-forward networks", &inner_width},
        {"--norm", "ORDER", "post or pre", &norm},
        {"--max-length", "N", "Positions: words of a sentence and one more", &max_length},
        {"--model", "FILE", "Model to use instead of the one that comes with the project", &model},
        {"--translate", "TEXT", "Translate one sentence", &translate},
        {"--beam", "N", "With --translate: sentences followed side by side", &beam},
        {"--length-penalty", "X", "With --beam: 0 favours short sentences", &length_penalty},
        {"--check-loss", "LOG", "Is the loss in this log as it should be?", &check_loss},
        {"--curve", "NAME", "What it is compared with: translation, documents_example", &curve},
    };
}

RunOptions run_options(const CommandLine& line, const std::string& folder) {
    constexpr long many = 1'000'000'000;
    RunOptions o = translation_recipe();
    o.folder = folder;
    o.resume = !line.resume.empty();
    o.progress = line.quiet.empty();
    set_whole(o.training.steps, "--steps", line.steps, 1, many);
    set_whole(o.training.batch_size, "--batch", line.batch, 1, 100'000);
    // A short training warms up for a tenth of it.
    if (!line.steps.empty()) o.training.warmup = o.training.steps / 10;
    set_whole(o.training.warmup, "--warmup", line.warmup, 0, many);
    set_whole(o.training.seed, "--seed", line.seed, 0, many);
    set_whole(o.checkpoint_every, "--checkpoint-every", line.checkpoint_every, 1, many);
    if (!line.learning_rate.empty())
        o.training.learning_rate = parse_positive("--learning-rate", line.learning_rate);
    set_whole(o.layers.num_layers, "--layers", line.layers, 1, 100);
    set_whole(o.layers.width, "--width", line.width, 2, 8192);
    set_whole(o.layers.num_heads, "--heads", line.heads, 1, 1024);
    set_whole(o.layers.inner_width, "--inner-width", line.inner_width, 1, 32768);
    set_whole(o.max_length, "--max-length", line.max_length, 2, 4096);
    if (line.norm == "pre") o.layers.norm_order = NormOrder::pre;
    if (line.norm != "" && line.norm != "pre" && line.norm != "post") {
        throw UsageError{
            fmt::format("--norm: unknown order (found {}, expected post or pre)", line.norm)};
    }
    if (o.resume && folder.empty())
        throw UsageError{"--resume: needs --out, where the checkpoint is"};
    if (line.source.empty() != line.target.empty())
        throw UsageError{"--source and --target go together: sentences and their translations"};
    require_training_options(o.training);
    require_size("--width and --heads", o.layers);
    if (o.layers.width % 2 != 0) {
        throw UsageError{
            fmt::format("--width: odd (found {}, expected an even number: positions are "
                        "pairs of sine and cosine)",
                        o.layers.width)};
    }
    return o;
}

Search search_options(const CommandLine& line) {
    Search search;
    set_whole(search.beam_size, "--beam", line.beam, 1, 100);
    if (!line.length_penalty.empty())
        search.length_penalty = parse_positive("--length-penalty", line.length_penalty, true);
    return search;
}

void require_one_task(const CommandLine& line) {
    struct Rule {
        const char* option;
        const std::string& value;
        const char* task;
        const std::string& needs;
    };
    const std::vector<Rule> rules = {
        {"--resume", line.resume, "--train", line.train},
        {"--quiet", line.quiet, "--train", line.train},
        {"--source", line.source, "--train", line.train},
        {"--target", line.target, "--train", line.train},
        {"--steps", line.steps, "--train", line.train},
        {"--batch", line.batch, "--train", line.train},
        {"--learning-rate", line.learning_rate, "--train", line.train},
        {"--warmup", line.warmup, "--train", line.train},
        {"--seed", line.seed, "--train", line.train},
        {"--checkpoint-every", line.checkpoint_every, "--train", line.train},
        {"--layers", line.layers, "--train", line.train},
        {"--width", line.width, "--train", line.train},
        {"--heads", line.heads, "--train", line.train},
        {"--inner-width", line.inner_width, "--train", line.train},
        {"--norm", line.norm, "--train", line.train},
        {"--max-length", line.max_length, "--train", line.train},
        {"--curve", line.curve, "--check-loss", line.check_loss},
        {"--beam", line.beam, "--translate", line.translate},
        {"--length-penalty", line.length_penalty, "--beam", line.beam},
    };
    for (const Rule& rule : rules) {
        if (!rule.value.empty() && rule.needs.empty())
            throw UsageError{fmt::format("{}: only with {}", rule.option, rule.task)};
    }
    const int tasks = !line.train.empty() + !line.translate.empty() + !line.check_loss.empty();
    if (tasks > 1) throw UsageError{"--train, --translate and --check-loss: one at a time"};
    if (!line.model.empty() && (!line.train.empty() || !line.check_loss.empty()))
        throw UsageError{"--model: not with --train or --check-loss"};
}

}  // namespace bert
