// A whole training: batches in order, checkpoints, log, progress, and stopping in good order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ch09_translation/checkpoint.hpp"
#include "ch09_translation/training.hpp"
#include "ch09_translation/training_data.hpp"

namespace bert {

struct RunOptions {
    TrainingOptions training{};
    EncoderSize layers{};
    std::size_t max_length = 32;
    std::string folder{};  // empty: no files
    bool resume = false;   // from the checkpoint in the folder, if there is one
    std::uint64_t checkpoint_every = 200;
    bool progress = true;  // on standard error
};

/// What the model that comes with the project was trained with: 2 + 2 layers of width 96.
RunOptions translation_recipe();

/// The files in the folder.
constexpr const char* checkpoint_name = "checkpoint.npz";
constexpr const char* log_name = "log.jsonl";

struct TrainedModel {
    TranslationModel model;
    std::vector<StepReport> log;  // of every step, those before an interruption too
};

/// Trains to the last step. In a folder it keeps a checkpoint, written every so many steps and at
/// the end, and a log of one JSON object a step. Resumed, it goes on with the step after the
/// checkpoint, and ends in the same bytes as a training that was never interrupted, whatever the
/// number of threads.
///
/// Throws UsageError when the folder holds an unfinished training and resume is not asked for;
/// FileError when its checkpoint is of other settings, or damaged; IoError when another program
/// trains there, or a file cannot be written; NumericError as train_step does, the last checkpoint
/// left as it is; Interrupted after SIGINT or SIGTERM, with a checkpoint of the last step done.
TrainedModel run_training(const TrainingData& data, const RunOptions& options);

/// What such a training is started with.
Settings settings_of(const TrainingData& data, const RunOptions& options);

}  // namespace bert
