#include <array>
#include <filesystem>
#include <set>

#include "ch14_bert/checkpoint.hpp"
#include "ch14_bert/checkpoint_tensors.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"

namespace bert {

namespace {

constexpr std::uint64_t largest_copied = std::uint64_t{64} << 20;

// Text files that go with the weights.
constexpr std::array<const char*, 5> copied = {"vocab.txt", "tokenizer_config.json",
                                               "tokenizer.json", "special_tokens_map.json",
                                               "added_tokens.json"};

// A BertModel's own files have no prefix; with anything beside it they need one.
bool is_bare_model(const CheckpointFiles& files, const CurrentTensors& tensors) {
    for (const auto& [name, tensor] : tensors)
        if (!name.starts_with("bert.")) return false;
    for (const auto& [name, tensor] : files.tensors())
        if (name.starts_with("bert.")) return false;
    return true;
}

// The index of several files beside the one that is to be written would make two checkpoints of one
// folder.
void refuse_index_in(const std::string& folder) {
    const std::string index = folder + "/model.safetensors.index.json";
    if (!std::filesystem::exists(index)) return;
    throw FileError{index, "folder", "another checkpoint is there", "an index of several files",
                    "a folder without"};
}

}  // namespace

void convert_checkpoint(const std::string& from, const std::string& to) {
    CheckpointNotes notes;
    const Bert bert = load_bert(from, &notes);  // refuses what does not fit together
    const CheckpointFiles files{from};
    CurrentTensors tensors = current_tensors(files, notes);
    if (!parts_of(tensors, bert.config).own_decoder) {
        const std::set<std::string> untied{notes.untied.begin(), notes.untied.end()};
        for (const char* name : {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"})
            if (!untied.contains(name)) tensors.erase(name);
    }
    const std::size_t prefix = is_bare_model(files, tensors) ? std::string{"bert."}.size() : 0;
    SafetensorsWriter writer;
    for (const auto& [name, tensor] : tensors)
        writer.add_bytes(name.substr(prefix), tensor.entry->type, tensor.entry->shape,
                         tensor.bytes());
    refuse_index_in(to);
    const bool is_new = std::filesystem::create_directories(to);
    try {
        writer.write(to + "/model.safetensors");
        files.require_intact();
    } catch (...) {
        std::error_code fault;
        if (is_new) std::filesystem::remove(to, fault);  // if it is empty
        files.require_intact();  // when that is the reason, it is the one to tell
        throw;
    }
    write_bert_config(to + "/config.json", bert.config);
    for (const char* name : copied) {
        const std::string file = std::string{"/"} + name;
        if (std::filesystem::exists(from + file))
            write_file(to + file, read_file(from + file, largest_copied));
    }
}

}  // namespace bert
