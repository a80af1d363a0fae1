// Pictures of a pre-training: losses and accuracies over the steps.
#pragma once

#include <cstddef>

#include "ch15_pretraining/pretraining_log.hpp"
#include "common/plot/line_chart.hpp"

namespace bert {

/// Single batches scatter too much to be looked at: a point is the mean of a window of steps, and
/// there are at most so many of them.
constexpr std::size_t most_curve_points = 200;

/// Of the training and, where it has any, of the validations.
LineChart loss_chart(const PretrainingLog& log);
LineChart accuracy_chart(const PretrainingLog& log);

/// Writes loss.svg and accuracy.svg into a folder that is there. Throws IoError.
void write_curves(const std::string& folder, const PretrainingLog& log);

}  // namespace bert
