// A whole pre-training: batches in order, checkpoints, log, curves, progress, and stopping in good
// order. What is left behind is a Hugging Face folder:
//
//     config.json  model.safetensors  vocab.txt      a BertForPreTraining (tokenizer_config.json
//                                                    too, where the vocabulary has one beside it)
//     log.jsonl  loss.svg  accuracy.svg              how it came about
//     trainer_state/                                 what resuming needs, and nothing else does
#pragma once

#include <cstdint>
#include <string>

#include "ch15_pretraining/pretraining_inputs.hpp"
#include "ch15_pretraining/pretraining_log.hpp"
#include "ch15_pretraining/pretraining_step.hpp"
#include "ch15_pretraining/trainer_state.hpp"

namespace bert {

struct PretrainingRun {
    PretrainingPaths paths{};
    PretrainingOptions training{};
    std::string folder{};                  // made where it is missing
    std::string log{};                     // empty: FOLDER/log.jsonl
    bool resume = false;                   // from the last checkpoint, if there is one
    std::uint64_t checkpoint_every = 500;  // steps
    std::size_t keep = 2;                  // checkpoints
    std::uint64_t validate_every = 500;    // steps
    bool progress = true;                  // on standard error
    Teller tell = [](const std::string&) {};
};

/// Trains to the last step. A checkpoint, the model and the curves are written every so many steps
/// and at the end. Resumed, it goes on with the step after the checkpoint, or from the start when
/// there is none yet, and ends in the same bytes of model.safetensors as a training that was never
/// interrupted, whatever the number of threads. Returns the log.
///
/// Throws std::invalid_argument for an option out of range; UsageError when the folder holds an
/// unfinished training and resume is not asked for, or a model of other origin; FileError for data
/// that do not fit, a checkpoint of other settings, naming each, or no checkpoint that is whole;
/// IoError when another program trains there, or a file cannot be written; NumericError as
/// pretraining_step() does, the last checkpoint left as it is; Interrupted after SIGINT or SIGTERM,
/// with a checkpoint of the last step done.
PretrainingLog run_pretraining(const PretrainingRun& run);

}  // namespace bert
