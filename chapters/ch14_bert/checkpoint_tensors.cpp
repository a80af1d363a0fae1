#include "ch14_bert/checkpoint_tensors.hpp"

#include <set>

#include "ch14_bert/tensor_names.hpp"
#include "common/io/file_error.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

namespace {

const std::string predictions_bias = "cls.predictions.bias";
const std::string decoder_bias = "cls.predictions.decoder.bias";
const std::string decoder_weight = "cls.predictions.decoder.weight";

bool any_starts_with(const CurrentTensors& tensors, const std::string& prefix) {
    const auto found = tensors.lower_bound(prefix);
    return found != tensors.end() && found->first.starts_with(prefix);
}

}  // namespace

CurrentTensors current_tensors(const CheckpointFiles& files, CheckpointNotes& notes) {
    CurrentTensors tensors;
    for (const auto& [name, tensor] : files.tensors()) {
        if (is_buffer(name)) continue;
        const std::string current = current_name(name);
        if (current != name) notes.renamed.emplace_back(name);
        const auto [place, is_new] = tensors.emplace(current, tensor);
        if (!is_new) {
            throw FileError{tensor.file->path(), "tensors", "two names of one tensor",
                            shown(place->second.entry->name) + " and " + shown(name),
                            "one of them"};
        }
    }
    if (!tensors.contains(predictions_bias) && tensors.contains(decoder_bias)) {
        auto node = tensors.extract(decoder_bias);
        node.key() = predictions_bias;
        tensors.insert(std::move(node));
    }
    return tensors;
}

BertParts parts_of(const CurrentTensors& tensors, const BertConfig& config) {
    const auto tied = config.other.find("tie_word_embeddings");
    return {.pooler = any_starts_with(tensors, "bert.pooler."),
            .predictions = any_starts_with(tensors, "cls.predictions."),
            .seq_relationship = any_starts_with(tensors, "cls.seq_relationship."),
            .own_decoder = tied != config.other.end() && tied->second == "false" &&
                           tensors.contains(decoder_weight)};
}

bool is_tied_copy(const std::string& name, const BertParts& parts) {
    return name == decoder_bias || (name == decoder_weight && !parts.own_decoder);
}

bool is_float(SafetensorsType type) {
    return type == SafetensorsType::F16 || type == SafetensorsType::BF16 ||
           type == SafetensorsType::F32 || type == SafetensorsType::F64;
}

void require_parameters(const std::string& path, const CurrentTensors& tensors,
                        const Bert& outline) {
    std::string faults;
    const auto add = [&faults](const std::string& fault) {
        faults += (faults.empty() ? "" : ", ") + fault;
    };
    const auto check = [&](const std::string& name, const SafetensorsEntry& entry) {
        const Shape shape = parameter_shape(outline.config, name);
        if (entry.shape != shape)
            return add(name + " of shape " + to_string(entry.shape) + " not " + to_string(shape));
        if (!is_float(entry.type)) add(name + " of type " + std::string{to_string(entry.type)});
    };
    std::set<std::string> needed;
    for_each_parameter(outline, [&](const std::string& name, const Tensor&) {
        needed.insert(name);
        const auto found = tensors.find(name);
        if (found == tensors.end()) return add("no " + name);
        check(name, *found->second.entry);
    });
    for (const std::string& name : {decoder_weight, decoder_bias}) {
        const auto found = tensors.find(name);
        if (found != tensors.end() && !needed.contains(name)) check(name, *found->second.entry);
    }
    if (faults.empty()) return;
    throw FileError{path, "tensors", "the checkpoint does not fit its config.json", faults,
                    "every tensor in its shape, of type F16, BF16, F32 or F64"};
}

}  // namespace bert
