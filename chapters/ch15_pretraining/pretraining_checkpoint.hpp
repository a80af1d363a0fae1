// A pre-training that can be stopped at any moment and go on as if it had not been.
//
// A checkpoint is one .safetensors file with all of a step, which becomes visible whole or not at
// all:
//
//     bert.embeddings...  first_moment/...  second_moment/...          for every parameter
//     metadata: version, step, dropout positions, config, setting/..., sha256/... of every tensor,
//               and sha256 of all that stands in the header
//
// So that a single bit that is not as it was written is found, and the tensor named where it is.
#pragma once

#include <string>

#include "ch15_pretraining/pretraining_step.hpp"
#include "common/io/settings.hpp"

namespace bert {

struct PretrainingCheckpoint {
    PretrainingState state;  // its parameters are tracked
    Settings settings;       // what the training was started with, config.json apart
};

/// Throws IoError; NumericError for a number that is not finite, before anything is written.
void save_pretraining_checkpoint(const std::string& path, const PretrainingCheckpoint& checkpoint);

/// Throws IoError when the file does not open; FileError when it is no such file, of another
/// version or number type, cut short, or a checksum does not match. Nothing of the result lies in
/// the file. Of the options the optimiser's are used, which the file has among its settings only.
PretrainingCheckpoint load_pretraining_checkpoint(const std::string& path,
                                                  const PretrainingOptions& options);

/// Reads the file and compares its checksums. Throws as load_pretraining_checkpoint().
void verify_pretraining_checkpoint(const std::string& path);

}  // namespace bert
