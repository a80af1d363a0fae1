#include "ch15_pretraining/pretraining_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
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
            TrainerState files, PretrainingCheckpoint checkpoint)
        : run_(run),
          inputs_(inputs),
          files_(std::move(files)),
          checkpoint_(std::move(checkpoint)),
          batches_(std::move(batches)),
          log_(log_path(run), checkpoint_.state.step) {
        if (run.progress) progress_.emplace(run.training.steps, state().step);
    }

    void train() {
        validate_if_due();  // it may have been stopped in the middle of it
        while (!is_finished()) {
            stop_if_asked();
            step();
            validate_if_due();
            if (is_due(run_.checkpoint_every)) save();
        }
        log_.sync();
        save_model();  // it may have been killed before this, and before the next
        files_.prune(state().step, run_.keep);
    }

    const PretrainingLog& log() const { return log_.log(); }

  private:
    PretrainingState& state() { return checkpoint_.state; }
    bool is_finished() { return state().step >= run_.training.steps; }
    bool is_due(std::uint64_t every) { return state().step % every == 0 || is_finished(); }

    void step() {
        const Clock::time_point start = Clock::now();
        const std::vector<PretrainingBatch> batches = batches_.of_step(state().step + 1);
        const PretrainingReport report = pretraining_step(state(), batches, run_.training);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        const LoggedStep line =
            logged(report, static_cast<double>(tokens_in(batches)) / std::max(seconds, 1e-9));
        log_.add(line);
        if (!progress_) return;
        progress_->show(line.step, fmt::format("loss {:.4f}  {:.0f} tokens/s", line.loss,
                                               line.tokens_per_second));
    }

    void validate_if_due() {
        const auto& done = log_.log().validations;
        if (!inputs_.validation || state().step == 0 || !is_due(run_.validate_every)) return;
        if (!done.empty() && done.back().step == state().step) return;
        const auto watch = [&](std::size_t, std::size_t) { stop_if_asked(); };
        log_.add(LoggedValidation{
            state().step, evaluate(PretrainedBert{state().bert}, *inputs_.validation, watch)});
    }

    void stop_if_asked() {
        if (stop_.received() == 0) return;
        save();
        throw Interrupted{stop_.received(),
                          fmt::format("stopped after step {}; --resume goes on", state().step)};
    }

    void save() {
        log_.sync();  // a checkpoint never knows more steps than the log
        try {
            files_.save(checkpoint_, run_.keep);
        } catch (const NumericError& e) {
            throw NumericError{fmt::format("step {}: {}", state().step, e.what())};
        }
        if (!is_finished()) save_model();
    }

    void save_model() {
        for (const std::string& path : inputs_.vocabulary_files) {
            if (path.empty()) continue;
            const fs::path copy = fs::path{run_.folder} / fs::path{path}.filename();
            std::error_code ignored;
            if (!fs::equivalent(path, copy, ignored))
                write_file(copy.string(), read_file(path, most_vocabulary_bytes));
        }
        save_bert(run_.folder, state().bert);
        if (!log().steps.empty()) write_curves(run_.folder, log());
    }

    const PretrainingRun& run_;
    const PretrainingInputs& inputs_;
    TrainerState files_;
    PretrainingCheckpoint checkpoint_;
    TrainingBatches batches_;
    PretrainingLogWriter log_;
    StopSignal stop_;
    std::optional<Progress> progress_;
};

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
