#include "common/attention_map/attention_meta.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/io/file_error.hpp"
#include "common/io/json_file.hpp"

namespace bert {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "attention-to-bert.attention";
constexpr int format_version = 1;
constexpr int deepest = 32;

constexpr std::pair<AttentionMask, const char*> mask_words[] = {
    {AttentionMask::none, "none"},
    {AttentionMask::causal, "causal"},
    {AttentionMask::padding, "padding"}};

struct BadJson {
    std::string found;
};

std::string shortened(std::string text) {
    constexpr std::size_t most = 60;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

// Refuses depth at once: what a parser reads without recursion, others may not.
Json parse_json(std::string_view text) {
    const auto watch = [](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest) throw BadJson{"more than 32 levels"};
        return true;
    };
    try {
        return Json::parse(text, watch);
    } catch (const nlohmann::detail::exception& error) {
        throw BadJson{shortened(json_string(error.what()))};
    }
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json object_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json::parse(text);
}

Json axes_of(const AttentionDump& dump) {
    Json axes;
    for (const NamedArray& named : arrays_of(dump))
        axes[named.name] = named.axes;
    axes["tokens"] = {"batch", "target"};
    if (!dump.source_tokens.empty()) axes["source_tokens"] = {"batch", "source"};
    for (const auto& [name, numbers] : dump.token_numbers) {
        axes[name] = {"batch", "target"};
        if (name == "offsets") axes[name].push_back("begin_end");
    }
    return axes;
}

// The parts of a file's meta data, each refused by its name unless it is of the right kind.
class MetaReader {
  public:
    explicit MetaReader(const std::string& path) : path_(path) {}

    [[noreturn]] void fail(const std::string& key, const Json& found,
                           const std::string& expected) const {
        fail(key, "another value",
             shortened(json_string(found.is_structured() ? std::string{found.type_name()}
                                                         : found.dump(-1, ' ', true))),
             expected);
    }
    [[noreturn]] void fail(const std::string& key, const std::string& what,
                           const std::string& found, const std::string& expected) const {
        throw FileError{path_, "meta" + key, what, found, expected};
    }

    // A value that may be missing or null.
    static const Json* find(const Json& object, const char* key) {
        const auto found = object.find(key);
        return found == object.end() || found->is_null() ? nullptr : &*found;
    }
    std::string text(const Json& object, const char* key, const std::string& where) const {
        const Json* value = find(object, key);
        if (value == nullptr) return "";
        if (!value->is_string()) fail(where, *value, "a string");
        return value->get<std::string>();
    }
    std::string object_text(const Json& object, const char* key, const std::string& where) const {
        const Json* value = find(object, key);
        if (value == nullptr) return "";
        if (!value->is_object()) fail(where, *value, "an object");
        return value->dump();
    }

  private:
    const std::string& path_;
};

void read_texts(const MetaReader& reader, const Json& meta, AttentionDump& dump) {
    const Json* text = MetaReader::find(meta, "text");
    if (text == nullptr) return;
    const bool pair = text->is_array() && text->size() == 2 && text->at(0).is_string() &&
                      (text->at(1).is_string() || text->at(1).is_null());
    if (!pair) reader.fail(".text", *text, "a text and a second text or null");
    dump.text = text->at(0).get<std::string>();
    if (text->at(1).is_string()) dump.second_text = text->at(1).get<std::string>();
}

void read_starts(const MetaReader& reader, const Json& meta, AttentionDump& dump) {
    const Json* starts = MetaReader::find(meta, "sentence_b_start");
    if (starts == nullptr) return;
    if (!starts->is_array()) reader.fail(".sentence_b_start", *starts, "a list");
    bool any = false;
    for (const Json& start : *starts) {
        const bool count = start.is_number_unsigned() && start.get<std::uint64_t>() <= 0x7FFFFFFF;
        if (!start.is_null() && !count)
            reader.fail(".sentence_b_start", start, "a whole number or null");
        dump.sentence_b_start.emplace_back();
        if (count) dump.sentence_b_start.back() = start.get<std::int32_t>();
        any = any || count;
    }
    if (!any) dump.sentence_b_start.clear();
}

void read_kind(const MetaReader& reader, const Json& meta, AttentionDump& dump) {
    if (reader.text(meta, "format", ".format") != format_name)
        reader.fail(".format", meta.value("format", Json(nullptr)), json_string(format_name));
    const Json version = meta.value("version", Json(nullptr));
    if (!version.is_number_integer() || version != format_version)
        reader.fail(".version", version, std::to_string(format_version));
    const std::string over = reader.text(meta, "normalised_over", ".normalised_over");
    if (over != "source") reader.fail(".normalised_over", over, "\"source\"");
    const std::string mask = reader.text(meta, "mask", ".mask");
    for (const auto& [value, word] : mask_words) {
        if (mask == word) {
            dump.mask = value;
            return;
        }
    }
    reader.fail(".mask", mask, "\"none\", \"causal\" or \"padding\"");
}

}  // namespace

std::vector<NamedArray> arrays_of(const AttentionDump& dump) {
    const std::vector<std::string> weights{"layer", "batch", "head", "target", "source"};
    const std::vector<std::string> target{"layer", "batch", "head", "target", "width"};
    const std::vector<std::string> source{"layer", "batch", "head", "source", "width"};
    std::vector<NamedArray> arrays{{"attentions", &dump.attentions, weights}};
    if (dump.scores) arrays.push_back({"scores", &*dump.scores, weights});
    if (dump.queries) arrays.push_back({"queries", &*dump.queries, target});
    if (dump.keys) arrays.push_back({"keys", &*dump.keys, source});
    if (dump.values) arrays.push_back({"values", &*dump.values, source});
    if (dump.value_norms)
        arrays.push_back({"value_norms", &*dump.value_norms, {"layer", "batch", "head", "source"}});
    if (dump.rollout) arrays.push_back({"rollout", &*dump.rollout, {"batch", "target", "source"}});
    return arrays;
}

std::string attention_meta(const AttentionDump& dump) {
    Json meta;
    meta["format"] = format_name;
    meta["version"] = format_version;
    meta["minor"] = 0;
    meta["generator"] = {
        {"name", "attention-to-bert"}, {"version", BERT_VERSION}, {"commit", nullptr}};
    if (!dump.title.empty()) meta["title"] = dump.title;
    meta["model"] = {{"class", text_or_null(dump.model)},
                     {"config", object_or_null(dump.model_config)},
                     {"weights_sha256", text_or_null(dump.weights_sha256)}};
    const Json second = dump.second_text ? Json(*dump.second_text) : Json(nullptr);
    meta["text"] = dump.text.empty() ? Json(nullptr) : Json::array({dump.text, second});
    meta["axes"] = axes_of(dump);
    meta["normalised_over"] = "source";
    for (const auto& [value, word] : mask_words) {
        if (dump.mask == value) meta["mask"] = word;
    }
    for (std::size_t b = 0; b < dump.tokens.size(); ++b) {
        const bool given = !dump.sentence_b_start.empty() && dump.sentence_b_start[b];
        meta["sentence_b_start"].push_back(given ? Json(*dump.sentence_b_start[b]) : Json(nullptr));
    }
    meta["special"] = dump.special_tokens;
    if (!dump.prediction.empty()) meta["prediction"] = Json::parse(dump.prediction);
    return meta.dump();
}

void read_attention_meta(const std::string& path, const std::string& json, AttentionDump& dump) {
    const MetaReader reader{path};
    Json meta;
    try {
        meta = parse_json(json);
    } catch (const BadJson& bad) {
        reader.fail("", "not JSON", bad.found, "a JSON object");
    }
    if (!meta.is_object()) reader.fail("", meta, "an object");
    read_kind(reader, meta, dump);
    dump.title = reader.text(meta, "title", ".title");
    if (const Json* model = MetaReader::find(meta, "model")) {
        if (!model->is_object()) reader.fail(".model", *model, "an object");
        dump.model = reader.text(*model, "class", ".model.class");
        dump.model_config = reader.object_text(*model, "config", ".model.config");
        dump.weights_sha256 = reader.text(*model, "weights_sha256", ".model.weights_sha256");
    }
    read_texts(reader, meta, dump);
    read_starts(reader, meta, dump);
    if (const Json* special = MetaReader::find(meta, "special")) {
        if (!special->is_object()) reader.fail(".special", *special, "an object");
        for (const auto& [kind, token] : special->items()) {
            if (!token.is_string()) reader.fail(".special." + shortened(kind), token, "a string");
            dump.special_tokens[kind] = token.get<std::string>();
        }
    }
    dump.prediction = reader.object_text(meta, "prediction", ".prediction");
}

std::string json_object_fault(std::string_view text) {
    try {
        const Json json = parse_json(text);
        return json.is_object() ? "" : json.type_name();
    } catch (const BadJson& bad) {
        return bad.found;
    }
}

}  // namespace bert
