// A training that can be stopped at any moment and go on as if it had not been.
//
// A checkpoint is one file: the model, the moments of the optimiser, how many steps are done, and
// where the dropout's random numbers stand. It replaces the one before it in a single rename, so
// that there is always a whole one, whatever happens while it is written.
#pragma once

#include <string>

#include "ch09_translation/model_file.hpp"
#include "ch09_translation/training.hpp"
#include "common/io/settings.hpp"

namespace bert {

struct Checkpoint {
    TrainingState state;  // its parameters are tracked
    Vocabulary source;
    Vocabulary target;
    Settings settings;
};

/// Throws as save_model does.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws as load_model does.
Checkpoint load_checkpoint(const std::string& path);

}  // namespace bert
