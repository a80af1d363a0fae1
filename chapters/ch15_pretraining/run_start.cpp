#include "ch15_pretraining/run_start.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/cli/program.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

void require_positive(std::uint64_t value, const char* what) {
    if (value >= 1) return;
    throw std::invalid_argument{fmt::format("{} (found 0, expected at least 1)", what)};
}

Settings settings_of(const PretrainingRun& run, const PretrainingInputs& inputs) {
    Settings settings = inputs.settings;
    for (auto& setting : settings_of(run.training))
        settings.push_back(std::move(setting));
    settings.emplace_back("numbers", sizeof(Real) == sizeof(float) ? "float" : "double");
    return settings;
}

bool is_finished(const PretrainingCheckpoint& checkpoint) {
    const std::pair<std::string, std::string> done{"steps",
                                                   fmt::format("{}", checkpoint.state.step)};
    const Settings& settings = checkpoint.settings;
    return std::find(settings.begin(), settings.end(), done) != settings.end();
}

PretrainingCheckpoint fresh_start(const PretrainingRun& run, PretrainingInputs& inputs) {
    Settings settings = settings_of(run, inputs);
    PretrainingState state = inputs.init ? start_pretraining(std::move(*inputs.init), run.training)
                                         : start_pretraining(inputs.config, run.training);
    inputs.init.reset();
    return {std::move(state), std::move(settings)};
}

}  // namespace

void require_run(const PretrainingRun& run) {
    require_pretraining_options(run.training);
    require_positive(run.checkpoint_every, "steps between checkpoints");
    require_positive(run.validate_every, "steps between validations");
    require_positive(run.keep, "checkpoints to keep");
    if (run.folder.empty()) throw std::invalid_argument{"run_pretraining: no folder"};
}

void require_own_folder(const PretrainingRun& run, const TrainerState& files) {
    std::error_code ignored;
    const std::string model = (fs::path{run.folder} / "model.safetensors").string();
    if (!fs::exists(model, ignored) || fs::exists(files.folder(), ignored)) return;
    throw UsageError{model + ": a model that no training here has made: use another folder"};
}

std::string log_path(const PretrainingRun& run) {
    return run.log.empty() ? (fs::path{run.folder} / "log.jsonl").string() : run.log;
}

PretrainingCheckpoint start_of(const PretrainingRun& run, PretrainingInputs& inputs,
                               const TrainerState& files) {
    std::optional<PretrainingCheckpoint> old = files.load_newest(run.training, run.tell);
    if (!old) return fresh_start(run, inputs);
    if (run.resume) {
        require_settings(files.path(old->state.step), old->settings, settings_of(run, inputs));
        inputs.init.reset();
        return std::move(*old);
    }
    // A finished training may be started over; an unfinished one is not thrown away by accident.
    if (!is_finished(*old)) {
        throw UsageError{
            fmt::format("{}: holds an unfinished training (step {}): go on with --resume, or use "
                        "another folder",
                        files.folder(), old->state.step)};
    }
    old.reset();
    PretrainingCheckpoint fresh = fresh_start(run, inputs);
    files.clear();  // they do not belong to the log that begins now
    return fresh;
}

}  // namespace bert
