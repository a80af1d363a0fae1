#include "ch14_bert/config.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "common/io/input_file.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

namespace {

struct SizeKey {
    const char* key;
    std::size_t BertConfig::*member;
    std::uint64_t most;
};

constexpr std::array<SizeKey, 7> sizes{{
    {"vocab_size", &BertConfig::vocab_size, 2147483647},  // ids are 32-bit numbers
    {"hidden_size", &BertConfig::hidden_size, 65536},
    {"num_hidden_layers", &BertConfig::num_hidden_layers, 1024},
    {"num_attention_heads", &BertConfig::num_attention_heads, 65536},
    {"intermediate_size", &BertConfig::intermediate_size, 1048576},
    {"max_position_embeddings", &BertConfig::max_position_embeddings, 1048576},
    {"type_vocab_size", &BertConfig::type_vocab_size, 65536},
}};

struct NumberKey {
    const char* key;
    double BertConfig::*member;
    bool (*is_good)(double);
    const char* expected;
};

constexpr auto is_dropout = [](double p) { return p >= 0 && p < 1; };

constexpr std::array<NumberKey, 4> numbers{{
    {"hidden_dropout_prob", &BertConfig::hidden_dropout_prob, is_dropout, "0 <= p < 1"},
    {"attention_probs_dropout_prob", &BertConfig::attention_probs_dropout_prob, is_dropout,
     "0 <= p < 1"},
    {"initializer_range", &BertConfig::initializer_range, [](double x) { return x >= 0; },
     "0 or more"},
    {"layer_norm_eps", &BertConfig::layer_norm_eps, [](double x) { return x > 0; }, "more than 0"},
}};

// What Hugging Face calls them.
constexpr std::array<std::pair<std::string_view, Activation>, 4> activations{{
    {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh},
    {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"relu", Activation::relu},
}};

void read_size(const JsonValue& json, const SizeKey& size, BertConfig& config) {
    const JsonValue& value = json.at(size.key);
    const std::uint64_t number = value.to_unsigned();
    if (number < 1 || number > size.most) {
        value.refuse("out of range", "1 to " + std::to_string(size.most));
    }
    config.*size.member = static_cast<std::size_t>(number);
}

void read_number(const JsonValue& value, const NumberKey& number, BertConfig& config) {
    const double x = value.to_double();
    if (!number.is_good(x)) value.refuse("out of range", number.expected);
    config.*number.member = x;
}

Activation read_activation(const JsonValue& value) {
    const auto found = std::find_if(activations.begin(), activations.end(), [&](const auto& known) {
        return known.first == value.to_string();
    });
    if (found == activations.end()) {
        value.refuse("unknown activation", "gelu, gelu_new, gelu_pytorch_tanh or relu");
    }
    return found->second;
}

std::size_t read_pad_token(const JsonValue& value, std::size_t vocab_size) {
    if (value.is_null()) return 0;
    const std::uint64_t id = value.to_unsigned();
    if (id >= vocab_size) {
        value.refuse("out of range", "an id below vocab_size " + std::to_string(vocab_size));
    }
    return static_cast<std::size_t>(id);
}

// A key whose only supported value is this text.
void require_text(const JsonValue& value, std::string_view text) {
    if (value.kind() != JsonValue::Kind::string || value.to_string() != text) {
        value.refuse("unsupported", "\"" + std::string{text} + "\"");
    }
}

void require_false(const JsonValue& value) {
    if (value.to_bool()) value.refuse("unsupported", "false");
}

void read_key(const std::string& key, const JsonValue& value, BertConfig& config) {
    const auto is_key = [&key](const auto& known) { return key == known.key; };
    if (std::any_of(sizes.begin(), sizes.end(), is_key)) return;  // read before
    const auto* const number = std::find_if(numbers.begin(), numbers.end(), is_key);
    if (number != numbers.end()) {
        read_number(value, *number, config);
    } else if (key == "hidden_act") {
        config.hidden_act = read_activation(value);
        if (value.to_string() == "gelu_pytorch_tanh") config.other[key] = value.to_json();
    } else if (key == "pad_token_id") {
        config.pad_token_id = read_pad_token(value, config.vocab_size);
    } else if (key == "architectures") {
        if (value.is_null()) return;
        for (const JsonValue& name : value.items()) {
            config.architectures.push_back(name.to_string());
        }
    } else if (key == "model_type") {
        require_text(value, "bert");
    } else {
        if (key == "position_embedding_type") require_text(value, "absolute");
        if (key == "is_decoder" || key == "add_cross_attention") require_false(value);
        config.other.emplace(key, value.to_json());
    }
}

}  // namespace

BertConfig bert_size(std::string_view name) {
    struct Size {
        std::string_view name;
        std::size_t layers, width, heads;
    };
    constexpr std::array<Size, 6> known{{{"tiny", 2, 128, 2},
                                         {"mini", 4, 256, 4},
                                         {"small", 4, 512, 8},
                                         {"medium", 8, 512, 8},
                                         {"base", 12, 768, 12},
                                         {"large", 24, 1024, 16}}};
    for (const Size& size : known) {
        if (size.name != name) continue;
        return {.hidden_size = size.width,
                .num_hidden_layers = size.layers,
                .num_attention_heads = size.heads,
                .intermediate_size = 4 * size.width};
    }
    throw std::invalid_argument{"size " + shown(name) +
                                " (expected tiny, mini, small, medium, base or large)"};
}

BertConfig parse_bert_config(const std::string& path, std::string_view text) {
    const JsonValue json = parse_json(path, text);
    BertConfig config;
    for (const SizeKey& size : sizes)
        read_size(json, size, config);
    for (std::size_t i = 0; i < json.keys().size(); ++i) {
        read_key(json.keys()[i], json.items()[i], config);
    }
    if (config.hidden_size % config.num_attention_heads != 0) {
        json.at("num_attention_heads")
            .refuse("hidden_size " + std::to_string(config.hidden_size) +
                        " is not a multiple of num_attention_heads " +
                        std::to_string(config.num_attention_heads),
                    "a divisor of hidden_size");
    }
    return config;
}

BertConfig read_bert_config(const std::string& path) {
    return parse_bert_config(path, read_file(path, std::uint64_t{1} << 20));
}

}  // namespace bert
