// bert inspect: what is in a checkpoint.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ch14_bert/checkpoint_tensors.hpp"
#include "ch14_bert/config.hpp"
#include "ch14_bert/shards.hpp"
#include "ch14_bert/tensor_names.hpp"
#include "common/cli/program.hpp"
#include "common/io/json_file.hpp"
#include "common/io/strict_json.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/finite_tensors.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

/// What a folder has besides tensors; nothing of it for a single file.
struct Model {
    BertConfig config;
    CurrentTensors tensors;
    CheckpointNotes notes;
    BertParts parts;
};

std::optional<Model> read_model(const std::string& path, const CheckpointFiles& files) {
    if (!fs::is_directory(path)) return std::nullopt;
    Model model{
        .config = read_bert_config(path + "/config.json"), .tensors = {}, .notes = {}, .parts = {}};
    model.tensors = current_tensors(files, model.notes);
    model.parts = parts_of(model.tensors, model.config);
    return model;
}

// Each number once: without buffers, and without what is tied to something else.
std::uint64_t count_parameters(const CheckpointFiles& files, const std::optional<Model>& model) {
    std::uint64_t count = 0;
    if (model) {
        for (const auto& [name, tensor] : model->tensors)
            count += is_tied_copy(name, model->parts) ? 0 : element_count(tensor.entry->shape);
        return count;
    }
    for (const auto& [name, tensor] : files.tensors())
        count += is_buffer(name) ? 0 : element_count(tensor.entry->shape);
    return count;
}

std::string file_name(const SafetensorsFile& file) {
    return fs::path{file.path()}.filename().string();
}

std::string shape_text(const Shape& shape) {
    std::string text;
    for (const std::size_t n : shape)
        text += (text.empty() ? "" : ", ") + std::to_string(n);
    return "[" + text + "]";
}

std::string table(const CheckpointFiles& files, const std::optional<Model>& model) {
    std::string text;
    if (model) text += "config.json\n" + to_json(model->config);
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += fmt::format("{} parameters, {} tensors\n", count_parameters(files, model),
                        files.tensors().size());
    if (model && !model->notes.renamed.empty()) {
        const std::string& first = model->notes.renamed.front();
        text += fmt::format("{} names are read as those of BertForPreTraining: {} as {}, ...\n",
                            model->notes.renamed.size(), printable(first),
                            printable(current_name(first)));
    }
    for (const auto& file : files.files()) {
        std::size_t width = 4;
        for (const SafetensorsEntry& entry : file->entries())
            width = std::max(width, std::min<std::size_t>(80, printable(entry.name).size()));
        text += fmt::format("\n{}\n{:<{}}  {:<16}  {:<8}  {:>12}\n", printable(file_name(*file)),
                            "name", width, "shape", "type", "offset");
        for (const SafetensorsEntry& entry : file->entries()) {
            text += fmt::format("{:<{}}  {:<16}  {:<8}  {:>12}\n", printable(entry.name), width,
                                shape_text(entry.shape), to_string(entry.type), entry.begin);
        }
    }
    return text;
}

std::string json(const CheckpointFiles& files, const std::optional<Model>& model) {
    std::string text = "{";
    if (model) text += "\"config\":" + parse_json("config", to_json(model->config)).to_json() + ",";
    text += fmt::format("\"parameters\":{},\"tensors\":[", count_parameters(files, model));
    bool first = true;
    for (const auto& file : files.files()) {
        for (const SafetensorsEntry& entry : file->entries()) {
            text += fmt::format(
                "{}{{\"name\":{},\"shape\":{},\"dtype\":\"{}\",\"offset\":{},"
                "\"file\":{}}}",
                first ? "" : ",", json_string(entry.name), shape_text(entry.shape),
                to_string(entry.type), entry.begin, json_string(file_name(*file)));
            first = false;
        }
    }
    return text + "]}\n";
}

// The parts that the classes in config.json have to have.
BertParts needed_parts(const Model& model) {
    BertParts parts = model.parts;
    for (const std::string& name : model.config.architectures) {
        const bool all = name == "BertForPreTraining";
        if (all || name == "BertForMaskedLM") parts.predictions = true;
        if (all || name == "BertForNextSentencePrediction")
            parts.pooler = parts.seq_relationship = true;
    }
    return parts;
}

// The model whose tensors are checked: that of a folder, or of the folder that a file lies in.
std::optional<Model> model_to_check(const std::string& path, const CheckpointFiles& files,
                                    std::optional<Model> model) {
    if (model) return model;
    const fs::path config = fs::path{path}.parent_path() / "config.json";
    if (!fs::exists(config)) return std::nullopt;
    Model found{
        .config = read_bert_config(config.string()), .tensors = {}, .notes = {}, .parts = {}};
    found.tensors = current_tensors(files, found.notes);
    found.parts = parts_of(found.tensors, found.config);
    return found;
}

void check(const std::string& path, const CheckpointFiles& files, std::optional<Model> given,
           const Invocation& invocation) {
    const std::optional<Model> model = model_to_check(path, files, std::move(given));
    if (model) {
        require_parameters(path, model->tensors, bert_outline(model->config, needed_parts(*model)));
    } else {
        invocation.warn("no config.json beside it: names and shapes are not checked");
    }
    require_finite_tensors(files);
    write_result("ok\n");
}

void run(const std::optional<std::string>& wants_check, const Invocation& invocation) {
    if (invocation.arguments.size() > 1)
        throw UsageError{"inspect: one PATH (found " + std::to_string(invocation.arguments.size()) +
                         ")"};
    if (!invocation.arguments.empty() && invocation.model)
        throw UsageError{"inspect: PATH or --model, not both"};
    const std::string path =
        invocation.arguments.empty() ? model_folder(invocation) : invocation.arguments.front();
    const CheckpointFiles files{path};
    std::optional<Model> model = read_model(path, files);
    const std::string text = invocation.json ? json(files, model) : table(files, model);
    files.require_intact();
    if (wants_check)
        check(path, files, std::move(model), invocation);
    else
        write_result(text);
}

}  // namespace

Command inspect_command() {
    const auto wants_check = std::make_shared<std::optional<std::string>>();
    return {.name = "inspect",
            .summary = "Config, parameters and tensors of a checkpoint; --check them",
            .examples =
                "  bert inspect model.safetensors\n"
                "  bert inspect --check DIR\n",
            .arguments = "PATH",
            .arguments_description = " Folder, or .safetensors file (without it: --model)",
            .options = {{"--check", "",
                         "Only say whether each tensor that the config needs is there, in its "
                         "shape, and finite",
                         wants_check.get()}},
            .run = [wants_check](const Invocation& invocation) { run(*wants_check, invocation); }};
}

}  // namespace bert
