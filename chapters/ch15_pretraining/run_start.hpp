// Where a pre-training begins: at its last checkpoint, or anew.
#pragma once

#include <string>

#include "ch15_pretraining/pretraining_checkpoint.hpp"
#include "ch15_pretraining/pretraining_inputs.hpp"
#include "ch15_pretraining/pretraining_run.hpp"
#include "ch15_pretraining/trainer_state.hpp"

namespace bert {

/// Throws std::invalid_argument for an option out of range.
void require_run(const PretrainingRun& run);

/// Throws UsageError when the folder has a model and no trainer_state/: no training made it.
void require_own_folder(const PretrainingRun& run, const TrainerState& files);

std::string log_path(const PretrainingRun& run);

/// The newest checkpoint of the folder when the run is to be resumed, random weights or those of
/// `init` otherwise; the checkpoints of a training that was finished are removed then. Takes
/// inputs.init. Throws as run_pretraining().
PretrainingCheckpoint start_of(const PretrainingRun& run, PretrainingInputs& inputs,
                               const TrainerState& files);

}  // namespace bert
