#include "ch09_translation/training_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ch09_translation/batch_order.hpp"
#include "ch09_translation/training_log.hpp"
#include "common/cli/program.hpp"
#include "common/cli/progress.hpp"
#include "common/cli/stop_signal.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/folder_lock.hpp"

namespace bert {

namespace {

std::string path_in(const std::string& folder, std::string_view name) {
    return (std::filesystem::path{folder} / name).string();
}

BatchOrder order_of(const TrainingData& data, const TrainingOptions& options) {
    std::vector<std::size_t> lengths;
    for (const PairIds& pair : data.train)
        lengths.push_back(std::max(pair.source.size(), pair.target.size() + 1));
    return {std::move(lengths), options.batch_size, options.seed};
}

TrainingBatch batch_of(const TrainingData& data, BatchOrder& order, std::uint64_t step) {
    std::vector<PairIds> pairs;
    for (const std::size_t i : order.batch(step))
        pairs.push_back(data.train[i]);
    return make_training_batch(pairs);
}

Checkpoint fresh_start(const TrainingData& data, const RunOptions& options) {
    const TransformerSize size{data.source.size(), data.target.size(), options.max_length,
                               options.layers};
    return {start_training(size, options.training), data.source, data.target,
            settings_of(data, options)};
}

bool is_finished(const Checkpoint& checkpoint) {
    const std::pair<std::string, std::string> done{"steps",
                                                   fmt::format("{}", checkpoint.state.step)};
    const Settings& settings = checkpoint.settings;
    return std::find(settings.begin(), settings.end(), done) != settings.end();
}

// What the settings say must be what the checkpoint holds.
void require_same_model(const std::string& path, const Checkpoint& checkpoint,
                        const TrainingData& data, const RunOptions& options) {
    const TransformerSize found = size_of(checkpoint.state.model);
    const EncoderSize& a = found.layers;
    const EncoderSize& b = options.layers;
    const bool same = a.num_layers == b.num_layers && a.width == b.width &&
                      a.num_heads == b.num_heads && a.inner_width == b.inner_width &&
                      a.activation == b.activation && a.norm_order == b.norm_order &&
                      found.max_length == options.max_length &&
                      checkpoint.source.tokens() == data.source.tokens() &&
                      checkpoint.target.tokens() == data.target.tokens();
    if (same) return;
    throw FileError{path, "sizes", "the model is not the one that the settings name",
                    "other sizes or vocabularies", "those of the settings"};
}

// From the folder's checkpoint, if there is one.
Checkpoint start(const TrainingData& data, const RunOptions& options) {
    const std::string path = path_in(options.folder, checkpoint_name);
    if (options.folder.empty() || !std::filesystem::exists(path)) return fresh_start(data, options);
    if (options.resume) {
        Checkpoint checkpoint = load_checkpoint(path);
        require_settings(path, checkpoint.settings, settings_of(data, options));
        require_same_model(path, checkpoint, data, options);
        return checkpoint;
    }
    // A finished training may be started over; an unfinished one is not thrown away by accident.
    const Checkpoint old = load_checkpoint(path);
    if (!is_finished(old)) {
        throw UsageError{fmt::format(
            "{}: holds an unfinished training (step {}): go on with --resume, or use another "
            "folder",
            path, old.state.step)};
    }
    Checkpoint fresh = fresh_start(data, options);
    std::filesystem::remove(path);  // it does not belong to the log that begins now
    return fresh;
}

}  // namespace

RunOptions translation_recipe() {
    RunOptions options;
    options.training = {.steps = 2500, .batch_size = 64, .learning_rate = 2e-3, .warmup = 300};
    options.layers = {.num_layers = 2, .width = 96, .num_heads = 4, .inner_width = 384};
    return options;
}

Settings settings_of(const TrainingData& data, const RunOptions& options) {
    const TrainingOptions& t = options.training;
    const EncoderSize& l = options.layers;
    return {{"corpus", data.fingerprint},
            {"layers", fmt::format("{}", l.num_layers)},
            {"width", fmt::format("{}", l.width)},
            {"heads", fmt::format("{}", l.num_heads)},
            {"inner width", fmt::format("{}", l.inner_width)},
            {"activation", fmt::format("{}", static_cast<int>(l.activation))},
            {"norm order", std::string{to_string(l.norm_order)}},
            {"max length", fmt::format("{}", options.max_length)},
            {"steps", fmt::format("{}", t.steps)},
            {"batch size", fmt::format("{}", t.batch_size)},
            {"learning rate", fmt::format("{}", t.learning_rate)},
            {"warm-up", fmt::format("{}", t.warmup)},
            {"label smoothing", fmt::format("{}", t.label_smoothing)},
            {"dropout", fmt::format("{}", t.dropout)},
            {"largest gradient norm", fmt::format("{}", t.max_gradient_norm)},
            {"seed", fmt::format("{}", t.seed)},
            {"numbers", sizeof(Real) == sizeof(float) ? "float" : "double"}};
}

TrainedModel run_training(const TrainingData& data, const RunOptions& options) {
    require_training_options(options.training);
    if (options.checkpoint_every == 0)
        throw std::invalid_argument{"steps between checkpoints (found 0, expected at least 1)"};
    std::optional<FolderLock> lock;
    if (!options.folder.empty()) {
        lock.emplace(options.folder);
        remove_leftover_temporaries(options.folder);
    }
    Checkpoint checkpoint = start(data, options);
    TrainingState& state = checkpoint.state;
    std::optional<LogWriter> log_file;
    if (lock) log_file.emplace(path_in(options.folder, log_name), state.step);
    std::vector<StepReport> log;
    if (log_file) log = log_file->reports();
    const auto save = [&] {
        if (!lock) return;
        log_file->sync();  // a checkpoint never knows more steps than the log
        save_checkpoint(path_in(options.folder, checkpoint_name), checkpoint);
    };
    const StopSignal stop;
    std::optional<Progress> progress;
    if (options.progress) progress.emplace(options.training.steps, state.step);
    BatchOrder order = order_of(data, options.training);
    while (state.step < options.training.steps) {
        log.push_back(train_step(state, batch_of(data, order, state.step + 1), options.training));
        if (log_file) log_file->add(log.back());
        if (progress) progress->show(state.step, fmt::format("loss {:.4f}", log.back().loss));
        if (state.step % options.checkpoint_every == 0 || state.step == options.training.steps)
            save();
        if (stop.received() == 0) continue;
        if (state.step < options.training.steps) save();
        throw Interrupted{stop.received(),
                          fmt::format("stopped after step {}; {}", state.step,
                                      lock ? "--resume goes on" : "nothing was kept")};
    }
    return {{std::move(state.model), std::move(checkpoint.source), std::move(checkpoint.target)},
            std::move(log)};
}

}  // namespace bert
