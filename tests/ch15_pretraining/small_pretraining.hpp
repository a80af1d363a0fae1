// A pre-training small enough for a test, with its files.
#pragma once

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "ch14_bert/config.hpp"
#include "ch15_pretraining/pretraining_data.hpp"
#include "ch15_pretraining/pretraining_run.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/sha256.hpp"
#include "common/random/random.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/shell.hpp"

namespace bert::test {

constexpr std::size_t small_vocabulary_size = 40;
constexpr std::size_t small_length = 14;
constexpr TokenId small_mask = 4;

inline BertConfig small_config() {
    BertConfig config;
    config.vocab_size = small_vocabulary_size;
    config.hidden_size = 16;
    config.num_hidden_layers = 1;
    config.num_attention_heads = 2;
    config.intermediate_size = 32;
    config.max_position_embeddings = small_length;
    config.initializer_range = 0.1;
    return config;
}

inline std::string small_vocabulary() {
    std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (std::size_t i = 5; i < small_vocabulary_size; ++i)
        text += "w" + std::to_string(i) + "\n";
    return text;
}

/// Sentences that count up: a next one goes on counting, a random one does not.
inline PretrainingExample small_example(Random& random, bool dynamic) {
    const std::size_t length = 8 + random.below(small_length - 7);
    PretrainingExample example;
    example.tokens.resize(length);
    example.first_length = 4 + random.below(length - 6);
    example.is_random_next = random.below(2) == 1;
    const std::size_t words = small_vocabulary_size - 5;
    std::size_t word = random.below(words);
    for (std::size_t i = 0; i < length; ++i) {
        if (i == example.first_length && example.is_random_next) word = random.below(words);
        const bool separates = i + 1 == example.first_length || i + 1 == length;
        example.tokens[i] = i == 0 ? 2 : separates ? 3 : static_cast<TokenId>(5 + word++ % words);
    }
    if (dynamic) return example;
    example.positions = {1, static_cast<std::uint32_t>(example.first_length)};
    example.replacements = {small_mask, small_mask};
    return example;
}

inline void write_data(const std::string& path, const std::vector<PretrainingExample>& examples,
                       std::uint64_t seed, bool dynamic) {
    PretrainingDataWriter writer{path};
    for (const PretrainingExample& example : examples)
        writer.add(example);
    PretrainingFacts facts;
    facts.vocabulary_sha256 = sha256(small_vocabulary());
    facts.vocab_size = small_vocabulary_size;
    facts.corpus_sha256 = {sha256("a corpus")};
    facts.max_length = small_length;
    facts.dynamic_masking = dynamic;
    facts.seed = seed;
    facts.sentences = 2 * examples.size();
    facts.documents = 2;
    writer.commit(facts);
}

inline void write_small_data(const std::string& path, std::size_t count, std::uint64_t seed,
                             bool dynamic = false) {
    Random random{seed};
    std::vector<PretrainingExample> examples;
    for (std::size_t i = 0; i < count; ++i)
        examples.push_back(small_example(random, dynamic));
    write_data(path, examples, seed, dynamic);
}

/// A folder with config.json, vocab.txt, data (27 examples), other (10 examples), dynamic (27).
inline std::filesystem::path small_inputs(const std::string& name) {
    const std::filesystem::path folder = scratch_folder(name);
    write_bert_config((folder / "config.json").string(), small_config());
    write_file((folder / "vocab.txt").string(), small_vocabulary());
    write_small_data((folder / "data").string(), 27, 1);
    write_small_data((folder / "other").string(), 10, 2);
    write_small_data((folder / "dynamic").string(), 27, 3, true);
    return folder;
}

/// 12 steps in FOLDER/NAME: four steps an epoch.
inline PretrainingRun small_run(const std::filesystem::path& folder,
                                const std::string& name = "run") {
    PretrainingRun run;
    run.paths = {.config = (folder / "config.json").string(),
                 .vocabulary = (folder / "vocab.txt").string(),
                 .data = (folder / "data").string()};
    run.training = {.steps = 12, .batch_size = 8, .learning_rate = 1e-2, .warmup = 3};
    run.folder = (folder / name).string();
    run.checkpoint_every = 5;
    run.progress = false;
    return run;
}

/// A log without the one number that differs from run to run.
inline std::string timeless(const std::string& log) {
    return std::regex_replace(log, std::regex{"\"tokens_per_second\":[-+.e0-9]+,"}, "");
}

/// What a training leaves that must not depend on how it came about.
struct Left {
    std::string model;
    std::string config;
    std::string log;
    std::string state;
    std::string curves;
    bool operator==(const Left&) const = default;
};

inline Left left_by(const std::filesystem::path& folder, std::uint64_t step = 12) {
    return {content(folder / "model.safetensors"), content(folder / "config.json"),
            timeless(content(folder / "log.jsonl")),
            content(TrainerState{folder.string()}.path(step)),
            content(folder / "loss.svg") + content(folder / "accuracy.svg")};
}

/// A folder as one that was killed right after the checkpoint of a step.
inline void copy_until(const std::filesystem::path& whole, std::uint64_t step,
                       const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder / "trainer_state");
    std::filesystem::copy_file(whole / "log.jsonl", folder / "log.jsonl");
    if (step == 0) return;
    std::filesystem::copy_file(TrainerState{whole.string()}.path(step),
                               TrainerState{folder.string()}.path(step));
}

/// After a checkpoint of step 5 the training ended without another.
inline PretrainingRun unfinished(const std::filesystem::path& inputs,
                                 const std::string& name = "run") {
    PretrainingRun whole = small_run(inputs, "whole_" + name);
    whole.keep = 100;
    run_pretraining(whole);
    PretrainingRun run = small_run(inputs, name);
    copy_until(whole.folder, 5, run.folder);
    return run;
}

}  // namespace bert::test
