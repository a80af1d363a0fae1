// A small BERT of random weights in a folder, for the program to read.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "ch14_bert/checkpoint.hpp"
#include "ch14_bert/pre_training_bert.hpp"
#include "common/random/random.hpp"
#include "tests/support/shell.hpp"

namespace bert::test {

inline void write(const std::filesystem::path& path, std::string_view text) {
    std::ofstream{path, std::ios::binary} << text;
}

/// 24 tokens; "cats" is cat ##s.
inline const char* const tiny_vocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\nsat\non\nmat\na\ndog\nran\n.\n,\n!\n?\n"
    "time\nflies\nlike\nan\narrow\n\"\n";

inline BertConfig tiny_config() {
    BertConfig config;
    config.vocab_size = 24;
    config.hidden_size = 32;
    config.num_hidden_layers = 2;
    config.num_attention_heads = 4;
    config.intermediate_size = 64;
    config.max_position_embeddings = 16;
    config.initializer_range = 0.3;  // so that outputs differ
    return config;
}

/// A folder with the files of a checkpoint.
inline std::filesystem::path tiny_model(const std::string& name, const BertParts& parts = {}) {
    const auto folder = scratch_folder(name);
    Random random{7};
    save_bert(folder.string(), random_bert(random, tiny_config(), parts));
    write(folder / "vocab.txt", tiny_vocabulary);
    return folder;
}

/// Runs bert in a folder, with that folder as its model.
inline Outcome bert_in(const std::filesystem::path& folder, const std::string& command,
                       const std::string& arguments) {
    return program(folder, "bert", command + " --model . " + arguments);
}

}  // namespace bert::test
