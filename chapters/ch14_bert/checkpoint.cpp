#include "ch14_bert/checkpoint.hpp"

#include <utility>

#include "ch14_bert/checkpoint_tensors.hpp"
#include "common/io/file_error.hpp"

namespace bert {

namespace {

// The tied tensors that are there and differ from what they are tied to.
void note_untied(const CurrentTensors& tensors, const BertParts& parts, CheckpointNotes& notes) {
    const auto compare = [&](const char* name, const char* source) {
        const auto tied = tensors.find(name);
        const auto to = tensors.find(source);
        if (tied == tensors.end() || to == tensors.end()) return;
        if (tied->second.bytes() != to->second.bytes()) notes.untied.emplace_back(name);
    };
    compare("cls.predictions.decoder.bias", "cls.predictions.bias");
    if (!parts.own_decoder)
        compare("cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight");
}

}  // namespace

OpenCheckpoint open_checkpoint(const std::string& folder) {
    BertConfig config = read_bert_config(folder + "/config.json");
    require_memory(config);
    OpenCheckpoint open{std::move(config), CheckpointFiles{folder}, {}, {}, {}};
    // [compare]
    open.tensors = current_tensors(open.files, open.notes);
    open.parts = parts_of(open.tensors, open.config);
    require_parameters(folder, open.tensors, bert_outline(open.config, open.parts));
    // [compare]
    note_untied(open.tensors, open.parts, open.notes);
    return open;
}

Bert load_bert(const std::string& folder, CheckpointNotes* notes) {
    auto [config, files, tensors, parts, found] = open_checkpoint(folder);
    // [load]
    // An untied decoder has a bias of its own, which is the head's.
    const auto own_bias = tensors.find("cls.predictions.decoder.bias");
    if (parts.own_decoder && own_bias != tensors.end())
        tensors["cls.predictions.bias"] = own_bias->second;
    Bert bert = bert_outline(config, parts);
    for_each_parameter(bert, [&tensors = tensors](const std::string& name, Tensor& parameter) {
        const auto entry = tensors.find(name);
        parameter = entry->second.tensor();
        tensors.erase(entry);
    });
    // [load]
    files.require_intact();
    for (const auto& [name, tensor] : tensors)
        if (!is_tied_copy(name, parts)) found.unexpected.push_back(name);
    if (notes != nullptr) *notes = std::move(found);
    return bert;
}

void save_bert(const std::string& folder, const Bert& bert) {
    SafetensorsWriter writer;
    for_each_parameter(bert, [&writer](const std::string& name, const Tensor& parameter) {
        writer.add(name, parameter);
    });
    writer.write(folder + "/model.safetensors");
    write_bert_config(folder + "/config.json", bert.config);
}

}  // namespace bert
