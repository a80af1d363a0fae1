#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "common/attention_map/attention_dump.hpp"
#include "common/io/csv.hpp"
#include "common/io/npz.hpp"

namespace bert {

namespace {

using Json = nlohmann::ordered_json;

const char* mask_word(AttentionMask mask) {
    switch (mask) {
        case AttentionMask::causal:
            return "causal";
        case AttentionMask::padding:
            return "padding";
        case AttentionMask::none:
            break;
    }
    return "none";
}

// The optional arrays that are there, by key, and the name of each one's axes.
struct NamedArray {
    std::string name;
    const Tensor* array;
    std::vector<std::string> axes;
};

std::vector<NamedArray> arrays_of(const AttentionDump& dump) {
    const std::vector<std::string> weights{"layer", "batch", "head", "target", "source"};
    const std::vector<std::string> target{"layer", "batch", "head", "target", "width"};
    const std::vector<std::string> source{"layer", "batch", "head", "source", "width"};
    std::vector<NamedArray> arrays{{"attentions", &dump.attentions, weights}};
    if (dump.scores) arrays.push_back({"scores", &*dump.scores, weights});
    if (dump.queries) arrays.push_back({"queries", &*dump.queries, target});
    if (dump.keys) arrays.push_back({"keys", &*dump.keys, source});
    if (dump.values) arrays.push_back({"values", &*dump.values, source});
    return arrays;
}

Json meta_of(const AttentionDump& dump) {
    Json meta;
    meta["format"] = "attention-to-bert.attention";
    meta["version"] = 1;
    meta["minor"] = 0;
    meta["generator"] = {{"name", "attention-to-bert"}, {"version", BERT_VERSION}};
    if (!dump.title.empty()) meta["title"] = dump.title;
    if (!dump.model.empty()) meta["model"] = {{"class", dump.model}};
    if (!dump.text.empty()) {
        const Json second = dump.second_text ? Json(*dump.second_text) : Json(nullptr);
        meta["text"] = Json::array({dump.text, second});
    }
    for (const NamedArray& named : arrays_of(dump))
        meta["axes"][named.name] = named.axes;
    meta["axes"]["tokens"] = {"batch", "target"};
    if (!dump.source_tokens.empty()) meta["axes"]["source_tokens"] = {"batch", "source"};
    meta["normalised_over"] = "source";
    meta["mask"] = mask_word(dump.mask);
    return meta;
}

std::vector<std::string> flat(const std::vector<std::vector<std::string>>& tokens) {
    std::vector<std::string> all;
    for (const auto& sequence : tokens)
        all.insert(all.end(), sequence.begin(), sequence.end());
    return all;
}

// Nested JSON lists of this shape; `append` writes element i.
template <typename Append>
void append_lists(std::string& json, const Shape& shape, const Append& append, std::size_t axis = 0,
                  std::size_t first = 0) {
    if (axis == shape.size()) {
        append(first);
        return;
    }
    json += '[';
    for (std::size_t i = 0; i < shape[axis]; ++i) {
        if (i > 0) json += ',';
        append_lists(json, shape, append, axis + 1, first * shape[axis] + i);
    }
    json += ']';
}

}  // namespace

void write_attention_npz(const std::string& path, const AttentionDump& dump) {
    validate(dump);
    const Shape& shape = dump.attentions.shape();
    NpzWriter file;
    for (const NamedArray& named : arrays_of(dump))
        file.add(named.name, *named.array);
    file.add_ints("layers", {shape[0]}, dump.layers);
    file.add_ints("heads", {shape[2]}, dump.heads);
    file.add_strings("tokens", {shape[1], shape[3]}, flat(dump.tokens));
    if (!dump.source_tokens.empty()) {
        file.add_strings("source_tokens", {shape[1], shape[4]}, flat(dump.source_tokens));
    }
    for (const auto& [name, numbers] : dump.token_numbers) {
        file.add_ints(name, numbers.shape, numbers.values);
    }
    file.add_strings("meta", {}, {meta_of(dump).dump()});
    file.write(path);
}

std::string attention_json(const AttentionDump& dump) {
    validate(dump);
    std::string json = "{\n\"meta\":" + meta_of(dump).dump();
    const auto add_key = [&](const std::string& name) { json += ",\n" + Json(name).dump() + ":"; };
    const auto add_ints = [&](const std::string& name, const Shape& shape,
                              const std::vector<std::int32_t>& values) {
        add_key(name);
        append_lists(json, shape, [&](std::size_t i) { json += std::to_string(values[i]); });
    };
    add_ints("layers", {dump.layers.size()}, dump.layers);
    add_ints("heads", {dump.heads.size()}, dump.heads);
    add_key("tokens");
    json += Json(dump.tokens).dump();
    if (!dump.source_tokens.empty()) {
        add_key("source_tokens");
        json += Json(dump.source_tokens).dump();
    }
    for (const auto& [name, numbers] : dump.token_numbers) {
        add_ints(name, numbers.shape, numbers.values);
    }
    for (const NamedArray& named : arrays_of(dump)) {
        add_key(named.name);
        const auto values = named.array->values();
        append_lists(json, named.array->shape(), [&](std::size_t i) {
            json += fmt::format("{:.6g}", static_cast<double>(values[i]));
        });
    }
    return json + "\n}\n";
}

std::string attention_csv(const AttentionDump& dump, std::size_t sequence, double min_weight) {
    validate(dump);
    const Shape& shape = dump.attentions.shape();
    if (sequence >= shape[1]) {
        throw ShapeError{fmt::format("attention_csv: no sequence {} in attentions {}", sequence,
                                     with_letters(shape, "LBHTS"))};
    }
    const std::vector<std::string>& targets = dump.tokens[sequence];
    const std::vector<std::string>& sources = source_tokens_of(dump)[sequence];
    std::string csv =
        csv_line({"layer", "head", "target", "target_token", "source", "source_token", "weight"});
    const Shape lines{shape[0], shape[2], shape[3], shape[4]};
    for (std::size_t i = 0; i < element_count(lines); ++i) {
        const std::size_t s = i % shape[4];
        const std::size_t t = i / shape[4] % shape[3];
        const std::size_t h = i / shape[4] / shape[3] % shape[2];
        const std::size_t l = i / shape[4] / shape[3] / shape[2];
        const auto weight = static_cast<double>(dump.attentions(l, sequence, h, t, s));
        if (weight < min_weight) continue;
        csv += csv_line({std::to_string(dump.layers[l]), std::to_string(dump.heads[h]),
                         std::to_string(t), targets[t], std::to_string(s), sources[s],
                         fmt::format("{:.6g}", weight)});
    }
    return csv;
}

}  // namespace bert
