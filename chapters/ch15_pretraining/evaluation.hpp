// How well a model guesses tokens and next sentences that it was not trained with, and how well one
// would that always says what is most frequent there: the least that is worth anything.
#pragma once

#include <cstddef>
#include <functional>

#include "ch14_bert/bert.hpp"
#include "ch15_pretraining/example_reader.hpp"

namespace bert {

struct PretrainingEvaluation {
    double mlm_loss = 0.0;      // mean of -log p(token) over the chosen tokens
    double mlm_accuracy = 0.0;  // share of them that have the largest logit
    double perplexity = 0.0;    // e^mlm_loss
    double nsp_loss = 0.0;
    double nsp_accuracy = 0.0;
    double majority_mlm = 0.0;  // share of the chosen tokens that are the most frequent one
    double majority_nsp = 0.0;  // share of the more frequent label
    std::size_t tokens = 0;     // chosen ones
    std::size_t examples = 0;

    bool operator==(const PretrainingEvaluation&) const = default;
};

/// Called after each batch with the examples done and all of them; may throw to end the work.
using EvaluationWatch = std::function<void(std::size_t done, std::size_t all)>;

/// All examples of the reader's file, without dropout; with dynamic masking always the same tokens
/// are chosen. Throws as the model and the reader do; std::logic_error for a model without its
/// heads and pooler.
PretrainingEvaluation evaluate(const PretrainedBert& model, const ExampleReader& examples,
                               const EvaluationWatch& watch = {});

}  // namespace bert
