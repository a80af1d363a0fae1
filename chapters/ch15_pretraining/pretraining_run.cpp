#include "ch15_pretraining/pretraining_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "ch14_bert/checkpoint.hpp"
#include "ch15_pretraining/curves.hpp"
#include "ch15_pretraining/run_start.hpp"
#include "ch15_pretraining/training_batches.hpp"
#include "common/cli/program.hpp"
#include "common/cli/progress.hpp"
#include "common/cli/stop_signal.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/folder_lock.hpp"
#include "common/io/input_file.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_vocabulary_bytes = std::uint64_t{1} << 26;

double share(std::size_t count, std::size_t all) {
    return all == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(all);
}

LoggedStep logged(const PretrainingReport& report, double tokens_per_second) {
    const PretrainingCounts& counts = report.counts;
    return {.step = report.step,
            .loss = counts.mean_loss(),
            .mlm_loss = counts.mean_mlm_loss(),
            .nsp_loss = counts.mean_nsp_loss(),
            .learning_rate = report.learning_rate,
            .gradient_norm = report.gradient_norm,
            .tokens_per_second = tokens_per_second,
            .mlm_accuracy = share(counts.mlm_right, counts.tokens),
            .nsp_accuracy = share(counts.nsp_right, counts.examples)};
}

// The training of a folder that is locked, from its checkpoint to its end.
class Trainer {
  public:
    Trainer(const PretrainingRun& run, const PretrainingInputs& inputs, TrainingBatches batches,
            TrainerState files, PretrainingCheckpoint checkpoint);
    void train();
    const PretrainingLog& log() const { return log_.log(); }

  private:
    std::uint64_t steps_done() const { return checkpoint_.state.step; }
    bool is_finished() const { return steps_done() >= run_.training.steps; }
    bool is_due(std::uint64_t every) const { return steps_done() % every == 0 || is_finished(); }
    void step();
    void validate_if_due();
    void stop_if_asked();
    void save();
    void save_model() const;

    const PretrainingRun& run_;
    const PretrainingInputs& inputs_;
    TrainingBatches batches_;
    TrainerState files_;
    PretrainingCheckpoint checkpoint_;
    PretrainingLogWriter log_;
    StopSignal stop_;
    std::optional<Progress> progress_;
};

Trainer::Trainer(const PretrainingRun& run, const PretrainingInputs& inputs,
                 TrainingBatches batches, TrainerState files, PretrainingCheckpoint checkpoint)
    : run_(run),
      inputs_(inputs),
      batches_(std::move(batches)),
      files_(std::move(files)),
      checkpoint_(std::move(checkpoint)),
      log_(log_path(run), checkpoint_.state.step) {
    if (run.progress) progress_.emplace(run.training.steps, steps_done());
}

void Trainer::train() {
    validate_if_due();  // it may have been stopped in the middle of it
    while (!is_finished()) {
        stop_if_asked();
        step();
        validate_if_due();
        if (is_due(run_.checkpoint_every)) save();
    }
    log_.sync();
    save_model();  // it may have been killed before this, and before the next
    files_.prune(steps_done(), run_.keep);
}

void Trainer::step() {
    const Clock::time_point start = Clock::now();
    const std::vector<PretrainingBatch> batches = batches_.of_step(steps_done() + 1);
    const PretrainingReport report = pretraining_step(checkpoint_.state, batches, run_.training);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const LoggedStep line =
        logged(report, static_cast<double>(tokens_in(batches)) / std::max(seconds, 1e-9));
    log_.add(line);
    if (!progress_) return;
    progress_->show(line.step,
                    fmt::format("loss {:.4f}  {:.0f} tokens/s", line.loss, line.tokens_per_second));
}

void Trainer::validate_if_due() {
    const auto& done = log().validations;
    if (!inputs_.validation || steps_done() == 0 || !is_due(run_.validate_every)) return;
    if (!done.empty() && done.back().step == steps_done()) return;
    const auto watch = [this](std::size_t, std::size_t) { stop_if_asked(); };
    const PretrainedBert model{checkpoint_.state.bert};
    log_.add(LoggedValidation{steps_done(), evaluate(model, *inputs_.validation, watch)});
}

void Trainer::stop_if_asked() {
    if (stop_.received() == 0) return;
    save();
    throw Interrupted{stop_.received(),
                      fmt::format("stopped after step {}; --resume goes on", steps_done())};
}

void Trainer::save() {
    log_.sync();  // a checkpoint never knows more steps than the log
    try {
        files_.save(checkpoint_, run_.keep);
    } catch (const NumericError& e) {
        throw NumericError{fmt::format("step {}: {}", steps_done(), e.what())};
    }
    if (!is_finished()) save_model();
}

void Trainer::save_model() const {
    for (const auto& [name, path] : inputs_.tokenizer_files) {
        const fs::path copy = fs::path{run_.folder} / name;
        std::error_code ignored;
        if (!fs::equivalent(path, copy, ignored))
            write_file(copy.string(), read_file(path, most_vocabulary_bytes));
    }
    save_bert(run_.folder, checkpoint_.state.bert);
    if (!log().steps.empty()) write_curves(run_.folder, log());
}

}  // namespace

PretrainingLog run_pretraining(const PretrainingRun& run) {
    require_run(run);
    PretrainingInputs inputs = open_inputs(run.paths, run.training, run.tell);
    TrainingBatches batches{inputs.examples, static_cast<TokenId>(inputs.config.pad_token_id),
                            run.training};
    const TrainerState files{run.folder};
    require_own_folder(run, files);
    const FolderLock lock{files.folder()};
    remove_leftover_temporaries(run.folder);
    remove_leftover_temporaries(files.folder());
    PretrainingCheckpoint checkpoint = start_of(run, inputs, files);
    Trainer trainer{run, inputs, std::move(batches), files, std::move(checkpoint)};
    trainer.train();
    return trainer.log();
}

}  // namespace bert
