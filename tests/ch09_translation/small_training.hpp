// A training small enough for a test, and everything that it changes as bytes.
#pragma once

#include <string>

#include "ch09_translation/training.hpp"
#include "ch09_translation/training_data.hpp"
#include "ch09_translation/training_run.hpp"
#include "common/tensor/parameters.hpp"

namespace bert::test {

constexpr std::size_t small_max_length = 9;

/// Eleven pairs of two to seven words.
inline TrainingData small_data() {
    return prepare({{{"je suis étudiant", "i am a student"},
                     {"je suis là", "i am here"},
                     {"tu es là", "you are here"},
                     {"elle est petite", "she is small"},
                     {"il est petit", "he is small"},
                     {"il a un chat noir", "he has a black cat"},
                     {"elle a un petit chat", "she has a small cat"},
                     {"je ne suis pas là", "i am not here"},
                     {"il n' est pas petit", "he is not small"},
                     {"un petit chat noir", "a small black cat"},
                     {"tu as un petit chat noir là", "you have a small black cat here"}},
                    {},
                    {{"tu es petit", "you are small"}}},
                   small_max_length);
}

inline RunOptions small_run(const std::string& folder = "") {
    RunOptions options;
    options.training = {.steps = 12, .batch_size = 4, .learning_rate = 1e-2, .warmup = 3};
    options.layers = {1, 8, 2, 12};
    options.max_length = small_max_length;
    options.folder = folder;
    options.checkpoint_every = 5;
    options.progress = false;
    return options;
}

inline void append_bytes(std::string& bytes, const Tensor& x) {
    bytes.append(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(Real));
}

inline std::string bytes_of(const Transformer& model) {
    std::string bytes;
    for_each_parameter(model, [&](const std::string&, const Tensor& parameter) {
        append_bytes(bytes, parameter);
    });
    return bytes;
}

inline std::string bytes_of(const TrainingState& state) {
    std::string bytes = bytes_of(state.model);
    for (const auto* moments : {&state.adam.first_moments, &state.adam.second_moments}) {
        for (const Tensor& moment : *moments)
            append_bytes(bytes, moment);
    }
    return bytes + std::to_string(state.step) + " " + std::to_string(state.adam.steps) + " " +
           std::to_string(state.dropout_position);
}

/// Every digit of a report.
inline std::string digits_of(const StepReport& report) {
    std::string text = std::to_string(report.step);
    for (const double value : {report.loss, report.gradient_norm, report.learning_rate})
        text.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return text;
}

}  // namespace bert::test
