#include "ch15_pretraining/training_batches.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

BatchOrder order_of(const ExampleReader& examples, const PretrainingOptions& options) {
    if (examples.size() < options.batch_size) {
        throw FileError{examples.data().path(), "examples", "fewer than one step takes",
                        std::to_string(examples.size()),
                        "at least the batch size " + std::to_string(options.batch_size)};
    }
    std::vector<std::size_t> lengths(examples.size());
    for (std::size_t i = 0; i < lengths.size(); ++i)
        lengths[i] = examples.length(i);
    return {std::move(lengths), options.batch_size, options.seed};
}

}  // namespace

TrainingBatches::TrainingBatches(const ExampleReader& examples, TokenId pad_id,
                                 const PretrainingOptions& options)
    : examples_(&examples),
      pad_id_(pad_id),
      accumulate_(options.accumulate),
      order_(order_of(examples, options)) {}

std::vector<PretrainingBatch> TrainingBatches::of_step(std::uint64_t step) {
    const std::uint64_t epoch = (step - 1) / steps_per_epoch();
    std::vector<PretrainingExample> all;
    for (const std::size_t i : order_.batch(step))
        all.push_back(examples_->example(i, epoch));
    const std::size_t parts = std::min(accumulate_, all.size());
    std::vector<PretrainingBatch> batches;
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t begin = part * all.size() / parts;
        const std::size_t end = (part + 1) * all.size() / parts;
        batches.push_back(
            make_pretraining_batch(std::span{all}.subspan(begin, end - begin), pad_id_));
    }
    return batches;
}

std::size_t tokens_in(const std::vector<PretrainingBatch>& batches) {
    double tokens = 0.0;
    for (const PretrainingBatch& batch : batches) {
        for (const Real is_token : batch.input.attention_mask.values())
            tokens += static_cast<double>(is_token);
    }
    return static_cast<std::size_t>(tokens);
}

}  // namespace bert
