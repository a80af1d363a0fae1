#include "ch15_pretraining/pretraining_checkpoint.hpp"

#include <fmt/core.h>

#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ch14_bert/pre_training_bert.hpp"
#include "ch15_pretraining/checkpoint_sums.hpp"
#include "common/autograd/tape.hpp"
#include "common/io/file_error.hpp"
#include "common/io/safetensors.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

namespace {

using Metadata = std::map<std::string, std::string>;

const std::string version = "1";
const std::string setting_key = "setting/";
const std::string own_decoder = "cls.predictions.decoder.weight";
constexpr SafetensorsType own_type =
    sizeof(Real) == sizeof(float) ? SafetensorsType::F32 : SafetensorsType::F64;

// The weights and moments of a state in one order, under the names that they have in the file.
template <typename Do>
void for_each_tensor(PretrainingState& state, const Do& do_tensor) {
    std::size_t i = 0;
    for (const NamedParameter& parameter : parameters_of(state.bert)) {
        do_tensor(parameter.name, parameter.name, *parameter.tensor);
        if (state.step > 0) {
            do_tensor("first_moment/" + parameter.name, parameter.name,
                      state.adam.first_moments[i]);
            do_tensor("second_moment/" + parameter.name, parameter.name,
                      state.adam.second_moments[i]);
        }
        ++i;
    }
}

const std::string& text_at(const std::string& path, const Metadata& metadata,
                           const std::string& key) {
    const auto found = metadata.find(key);
    if (found == metadata.end())
        throw FileError{path, "metadata", key + " is missing", "no " + key,
                        "a checkpoint of a pre-training"};
    return found->second;
}

std::uint64_t number_at(const std::string& path, const Metadata& metadata, const std::string& key) {
    const std::string& text = text_at(path, metadata, key);
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size())
        throw FileError{path, key, "not a whole number", text, "0 or more"};
    return number;
}

Metadata metadata_of(const PretrainingCheckpoint& checkpoint) {
    const PretrainingState& state = checkpoint.state;
    Metadata metadata{{"format", "pt"},
                      {"version", version},
                      {"step", fmt::format("{}", state.step)},
                      {"dropout position", fmt::format("{}", state.dropout_positions[0])},
                      {"attention dropout position", fmt::format("{}", state.dropout_positions[1])},
                      {"config", to_json(state.bert.config)}};
    for (const auto& [name, value] : checkpoint.settings)
        metadata[setting_key + name] = value;
    return metadata;
}

Settings settings_in(const Metadata& metadata) {
    Settings settings;
    for (const auto& [key, value] : metadata) {
        if (key.starts_with(setting_key))
            settings.emplace_back(key.substr(setting_key.size()), value);
    }
    return settings;
}

void require_version(const SafetensorsFile& file) {
    const std::string& found = text_at(file.path(), file.metadata(), "version");
    if (found != version)
        throw FileError{file.path(), "version", "another version", found, version};
    for (const SafetensorsEntry& entry : file.entries()) {
        if (entry.type == own_type) continue;
        throw FileError{file.path(), "tensor " + entry.name, "another type of numbers",
                        std::string{to_string(entry.type)}, std::string{to_string(own_type)}};
    }
}

// Means of squares: a negative one would end in the root of a negative number.
void require_numbers(const std::string& path, const std::string& name, const Tensor& x) {
    try {
        require_finite(name, x);
    } catch (const NumericError& e) {
        throw FileError{path, name, e.what(), "a number that is not finite", "finite numbers"};
    }
    if (!name.starts_with("second_moment/")) return;
    for (const Real value : x.values()) {
        if (value >= 0) continue;
        throw FileError{path, name, "a negative mean of squares", fmt::format("{}", value),
                        "at least 0"};
    }
}

void take_tensors(const std::string& path, std::vector<NamedTensor> tensors,
                  PretrainingState& state) {
    std::map<std::string, Tensor> by_name;
    for (NamedTensor& x : tensors)
        by_name.emplace(std::move(x.name), std::move(x.tensor));
    for_each_tensor(state, [&](const std::string& name, const std::string& parameter, Tensor& x) {
        const auto found = by_name.find(name);
        const Shape shape = parameter_shape(state.bert.config, parameter);
        if (found == by_name.end() || found->second.shape() != shape)
            throw FileError{path, "tensor " + name, "missing, or another shape",
                            found == by_name.end() ? "none" : to_string(found->second.shape()),
                            to_string(shape)};
        require_numbers(path, name, found->second);
        x = std::move(found->second);
        by_name.erase(found);
    });
    if (by_name.empty()) return;
    throw FileError{path, "tensor " + by_name.begin()->first, "unexpected", "a tensor of this name",
                    "a checkpoint and nothing else"};
}

// Without its tensors.
PretrainingState outline_of(const SafetensorsFile& file) {
    const std::string& path = file.path();
    const Metadata& metadata = file.metadata();
    const BertConfig config = parse_bert_config(path, text_at(path, metadata, "config"));
    require_memory(config);
    const bool decoder = file.find(own_decoder) != nullptr;
    PretrainingState state{.bert = bert_outline(config, {.own_decoder = decoder}), .adam = {}};
    state.step = number_at(path, metadata, "step");
    state.dropout_positions = {number_at(path, metadata, "dropout position"),
                               number_at(path, metadata, "attention dropout position")};
    state.adam.steps = state.step;
    if (state.step == 0) return state;
    const std::size_t count = parameters_of(state.bert).size();
    state.adam.first_moments.resize(count);
    state.adam.second_moments.resize(count);
    return state;
}

}  // namespace

void save_pretraining_checkpoint(const std::string& path, const PretrainingCheckpoint& checkpoint) {
    PretrainingState state = checkpoint.state;  // shares its numbers
    std::vector<NamedTensor> tensors;
    for_each_tensor(state, [&](const std::string& name, const std::string&, const Tensor& x) {
        require_finite(name, x);
        tensors.push_back({name, x});
    });
    Metadata metadata = metadata_of(checkpoint);
    add_sums(metadata, tensors);
    SafetensorsWriter writer;
    for (const auto& [key, value] : metadata)
        writer.set_metadata(key, value);
    for (NamedTensor& x : tensors)
        writer.add(std::move(x.name), std::move(x.tensor), own_type);
    writer.write(path);
}

PretrainingCheckpoint load_pretraining_checkpoint(const std::string& path,
                                                  const PretrainingOptions& options) {
    const SafetensorsFile file{path};
    require_version(file);
    std::vector<NamedTensor> tensors = read_with_sums(file);
    PretrainingState state = outline_of(file);
    state.adam.settings = pretraining_adam(options);
    take_tensors(path, std::move(tensors), state);
    track_parameters(state.bert);
    return {std::move(state), settings_in(file.metadata())};
}

void verify_pretraining_checkpoint(const std::string& path) {
    const SafetensorsFile file{path};
    require_version(file);
    verify_sums(file);
}

}  // namespace bert
