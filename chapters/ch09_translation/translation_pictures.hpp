// What a translation model looks at, and how its loss fell, as pictures.
#pragma once

#include <string>
#include <vector>

#include "ch09_translation/model_file.hpp"
#include "ch09_translation/training.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/plot/heatmap.hpp"
#include "common/plot/line_chart.hpp"

namespace bert {

/// The three kinds of attention of one sentence and its translation: every layer and head.
struct TranslationMaps {
    std::string translation;
    AttentionDump encoder;  // source by source
    AttentionDump decoder;  // what was said by what was said before
    AttentionDump cross;    // what was said by the source
};

/// Translates greedily, then lets the model read its own translation once more, all at once. A row
/// is the place where the decoder says its word: of "i am", row "am" is the one that reads "i".
/// Throws UsageError for a word that the model does not know.
TranslationMaps translation_maps(const TranslationModel& model, const std::string& sentence);

/// The mean over the heads of one layer of a dump with one sentence.
Heatmap mean_over_heads(const AttentionDump& dump, std::size_t layer, const std::string& title);

/// The loss of every step, smoothed over `window` steps.
LineChart loss_chart(const std::vector<StepReport>& log, std::size_t window);

}  // namespace bert
