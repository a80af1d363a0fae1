#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/attention_map/attention_dump.hpp"
#include "common/attention_map/attention_meta.hpp"
#include "common/io/csv.hpp"
#include "common/io/npz.hpp"

namespace bert {

namespace {

using Json = nlohmann::ordered_json;

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

// What a spreadsheet would run is marked as text; a single sign is none.
std::string token_field(const std::string& token) {
    const bool formula = token.size() > 1 &&
                         std::string_view{"=+-@\t\r"}.find(token.front()) != std::string_view::npos;
    return csv_field(formula ? "'" + token : token);
}

std::vector<std::string> token_fields(const std::vector<std::string>& tokens) {
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        fields.push_back(fmt::format("{},{}", i, token_field(tokens[i])));
    return fields;
}

void require_room(const AttentionDump& dump, std::size_t sequence, double min_weight) {
    const Shape& shape = dump.attentions.shape();
    const std::size_t count = shape[2] * shape[3] * shape[4];  // of a layer and a sequence
    std::size_t lines = 0;
    for (std::size_t l = 0; l < shape[0]; ++l) {
        const Real* first = dump.attentions.data() + (l * shape[1] + sequence) * count;
        lines += static_cast<std::size_t>(std::count_if(first, first + count, [&](Real weight) {
            return static_cast<double>(weight) >= min_weight;
        }));
    }
    if (lines <= most_attention_text) return;
    throw std::invalid_argument{
        fmt::format("attention_csv: {} weights (expected at most {}): a greater least weight, "
                    "fewer layers and heads, or npz instead",
                    lines, most_attention_text)};
}

}  // namespace

void write_attention_npz(const std::string& path, const AttentionDump& dump, NpyFloat type) {
    validate(dump);
    const Shape& shape = dump.attentions.shape();
    NpzWriter file;
    for (const NamedArray& named : arrays_of(dump))
        file.add(named.name, *named.array, type);
    file.add_ints("layers", {shape[0]}, dump.layers);
    file.add_ints("heads", {shape[2]}, dump.heads);
    file.add_strings("tokens", {shape[1], shape[3]}, flat(dump.tokens));
    if (!dump.source_tokens.empty()) {
        file.add_strings("source_tokens", {shape[1], shape[4]}, flat(dump.source_tokens));
    }
    for (const auto& [name, numbers] : dump.token_numbers) {
        file.add_ints(name, numbers.shape, numbers.values);
    }
    file.add_strings("meta", {}, {attention_meta(dump)});
    file.write(path);
}

std::string attention_json(const AttentionDump& dump) {
    validate(dump);
    std::size_t count = 0;
    for (const NamedArray& named : arrays_of(dump))
        count += named.array->size();
    if (count > most_attention_text) {
        throw std::invalid_argument{
            fmt::format("attention_json: {} numbers (expected at most {}): fewer layers and heads, "
                        "or npz instead",
                        count, most_attention_text)};
    }
    std::string json = "{\n\"meta\":" + attention_meta(dump);
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
    if (std::isnan(min_weight)) {
        throw std::invalid_argument{
            "attention_csv: the least weight (found NaN, expected a "
            "number)"};
    }
    require_room(dump, sequence, min_weight);
    const std::vector<std::string> targets = token_fields(dump.tokens[sequence]);
    const std::vector<std::string> sources = token_fields(source_tokens_of(dump)[sequence]);
    std::string csv =
        csv_line({"layer", "head", "target", "target_token", "source", "source_token", "weight"});
    for (std::size_t l = 0; l < shape[0]; ++l) {
        for (std::size_t h = 0; h < shape[2]; ++h) {
            for (std::size_t t = 0; t < shape[3]; ++t) {
                const std::size_t r = ((l * shape[1] + sequence) * shape[2] + h) * shape[3] + t;
                const std::string beginning =
                    fmt::format("{},{},{}", dump.layers[l], dump.heads[h], targets[t]);
                const std::span<const Real> row = dump.attentions.row(r);
                for (std::size_t s = 0; s < shape[4]; ++s) {
                    const auto weight = static_cast<double>(row[s]);
                    if (weight < min_weight) continue;
                    csv += fmt::format("{},{},{:.6g}\r\n", beginning, sources[s], weight);
                }
            }
        }
    }
    return csv;
}

}  // namespace bert
