#include "ch14_bert/checkpoint.hpp"

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

Bert load_bert(const std::string& folder, CheckpointNotes* notes) {
    const BertConfig config = read_bert_config(folder + "/config.json");
    require_memory(config);
    const CheckpointFiles files{folder};
    CheckpointNotes found;
    // [load]
    CurrentTensors tensors = current_tensors(files, found);
    const BertParts parts = parts_of(tensors, config);
    Bert bert = bert_outline(config, parts);
    require_parameters(folder, tensors, bert);
    // An untied decoder has a bias of its own, which is the head's.
    const auto own_bias = tensors.find("cls.predictions.decoder.bias");
    if (parts.own_decoder && own_bias != tensors.end())
        tensors["cls.predictions.bias"] = own_bias->second;
    note_untied(tensors, parts, found);
    for_each_parameter(bert, [&tensors](const std::string& name, Tensor& parameter) {
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
