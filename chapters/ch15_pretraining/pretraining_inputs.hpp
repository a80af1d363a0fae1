// What a pre-training reads: config, vocabulary, data, and the model it starts from.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch14_bert/pre_training_bert.hpp"
#include "ch15_pretraining/example_reader.hpp"
#include "ch15_pretraining/pretraining_step.hpp"
#include "ch15_pretraining/trainer_state.hpp"
#include "common/io/settings.hpp"

namespace bert {

struct PretrainingPaths {
    std::string config{};      // config.json; empty: that of `init`
    std::string vocabulary{};  // vocab.txt, tokenizer_config.json beside it; empty: that of `init`
    std::string data{};        // made by PretrainingDataWriter
    std::string validation{};  // likewise; empty: none
    std::string init{};        // Hugging Face folder to go on from; empty: random weights
};

struct PretrainingInputs {
    BertConfig config;
    std::map<std::string, std::string> tokenizer_files;  // "vocab.txt" and so on: where it lies
    ExampleReader examples;
    std::optional<ExampleReader> validation;
    std::optional<Bert> init;
    Settings settings;  // what was read, by checksums, and the config
};

/// Throws IoError for a file that does not open; FileError for one that is not as it should be, or
/// does not fit the others. What is made anew of the model, because `init` lacks it, is told.
PretrainingInputs open_inputs(const PretrainingPaths& paths, const PretrainingOptions& options,
                              const Teller& tell);

/// A model that can be trained further: its numbers in memory of its own, not in the file, pooler
/// and heads made anew where the folder has none. Throws as load_bert().
Bert load_to_train(const std::string& folder, const PretrainingOptions& options,
                   const Teller& tell);

/// The config as settings: "config.hidden_size" and so on.
Settings settings_of(const BertConfig& config);
/// "steps", "batch size" and so on.
Settings settings_of(const PretrainingOptions& options);

}  // namespace bert
