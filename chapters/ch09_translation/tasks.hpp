// What this chapter's program does when it is not showing the lesson.
#pragma once

#include <string>

#include "ch09_translation/command_line.hpp"
#include "ch09_translation/training_data.hpp"

namespace bert {

/// The corpus of the recipe.
CorpusSplit grammar_corpus();

/// The model that comes with the project, or that of `path` unless it is empty. Throws as
/// load_model.
TranslationModel model_for(const std::string& path);

/// Trains in full and says how good the model is on sentences that it has never seen.
void train_task(const CommandLine& line, const std::string& folder);

/// Translates one sentence, several ways with a beam.
void translate_task(const CommandLine& line, const std::string& folder);

/// The three pictures and the dump of a sentence's attention.
void write_maps(const TranslationModel& model, const std::string& sentence,
                const std::string& folder);

}  // namespace bert
