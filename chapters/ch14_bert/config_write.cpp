#include <array>
#include <charconv>
#include <string>

#include "ch14_bert/config.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/json_file.hpp"

namespace bert {

namespace {

// The shortest text that reads as the same number, with a point or an exponent.
std::string number_text(double x) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
    std::string text{digits.data(), end};
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string activation_name(Activation activation) {
    return activation == Activation::gelu_tanh ? "gelu_new" : std::string{to_string(activation)};
}

std::string list_text(const std::vector<std::string>& names) {
    std::string text = "[";
    for (const std::string& name : names) {
        text += (text.size() == 1 ? "" : ", ") + json_string(name);
    }
    return text + "]";
}

}  // namespace

std::string to_json(const BertConfig& config) {
    std::map<std::string, std::string> keys = config.other;
    const auto put = [&keys](const char* key, std::string value) { keys[key] = std::move(value); };
    if (!config.architectures.empty()) put("architectures", list_text(config.architectures));
    put("model_type", "\"bert\"");
    put("vocab_size", std::to_string(config.vocab_size));
    put("hidden_size", std::to_string(config.hidden_size));
    put("num_hidden_layers", std::to_string(config.num_hidden_layers));
    put("num_attention_heads", std::to_string(config.num_attention_heads));
    put("intermediate_size", std::to_string(config.intermediate_size));
    put("max_position_embeddings", std::to_string(config.max_position_embeddings));
    put("type_vocab_size", std::to_string(config.type_vocab_size));
    if (config.hidden_act != Activation::gelu_tanh) keys.erase("hidden_act");
    keys.try_emplace("hidden_act", json_string(activation_name(config.hidden_act)));
    put("hidden_dropout_prob", number_text(config.hidden_dropout_prob));
    put("attention_probs_dropout_prob", number_text(config.attention_probs_dropout_prob));
    put("initializer_range", number_text(config.initializer_range));
    put("layer_norm_eps", number_text(config.layer_norm_eps));
    put("pad_token_id", std::to_string(config.pad_token_id));
    std::string text = "{";
    for (const auto& [key, value] : keys) {
        text += (text.size() == 1 ? "\n  " : ",\n  ") + json_string(key) + ": " + value;
    }
    return text + "\n}\n";
}

void write_bert_config(const std::string& path, const BertConfig& config) {
    write_file(path, to_json(config));
}

}  // namespace bert
