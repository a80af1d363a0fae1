#include "ch14_bert/config.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/io/file_error.hpp"
#include "common/tensor/tensor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using bert::Activation;
using bert::BertConfig;
using bert::FileError;
using bert::parse_bert_config;

namespace {

const std::vector<std::pair<std::string, std::string>> good_keys{
    {"architectures", R"(["BertForPreTraining"])"},
    {"model_type", "\"bert\""},
    {"vocab_size", "30522"},
    {"hidden_size", "768"},
    {"num_hidden_layers", "12"},
    {"num_attention_heads", "12"},
    {"intermediate_size", "3072"},
    {"max_position_embeddings", "512"},
    {"type_vocab_size", "2"},
    {"hidden_act", "\"gelu\""},
    {"layer_norm_eps", "1e-12"},
};

// A good config with one key given another value, or without it where the value is empty.
std::string with(const std::string& key, const std::string& value) {
    std::string text = "{";
    bool is_new = true;
    const auto put = [&text](const std::string& k, const std::string& v) {
        if (!v.empty()) text += (text.size() == 1 ? "\"" : ",\"") + k + "\":" + v;
    };
    for (const auto& [good_key, good_value] : good_keys) {
        is_new = is_new && good_key != key;
        put(good_key, good_key == key ? value : good_value);
    }
    if (is_new) put(key, value);
    return text + "}";
}

std::string fault_of(const std::string& text) {
    try {
        parse_bert_config("config.json", text);
    } catch (const FileError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("read_bert_config: what is there is read and the rest has its default", "[ch14]") {
    const BertConfig config = parse_bert_config(
        "config.json",
        R"({"vocab_size": 100, "hidden_size": 12, "num_hidden_layers": 3, "num_attention_heads": 4,
            "intermediate_size": 20, "max_position_embeddings": 32, "type_vocab_size": 1,
            "hidden_act": "relu", "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0.25,
            "initializer_range": 0.5, "layer_norm_eps": 1e-5, "pad_token_id": 7,
            "position_embedding_type": "absolute", "use_cache": true, "id2label": {"0": "yes"}})");
    CHECK(config.vocab_size == 100);
    CHECK(config.hidden_size == 12);
    CHECK(config.num_hidden_layers == 3);
    CHECK(config.num_attention_heads == 4);
    CHECK(config.intermediate_size == 20);
    CHECK(config.max_position_embeddings == 32);
    CHECK(config.type_vocab_size == 1);
    CHECK(config.hidden_act == Activation::relu);
    CHECK(config.hidden_dropout_prob == 0);
    CHECK(config.attention_probs_dropout_prob == 0.25);
    CHECK(config.initializer_range == 0.5);
    CHECK(config.layer_norm_eps == 1e-5);
    CHECK(config.pad_token_id == 7);
    CHECK(config.architectures.empty());
    CHECK(config.other ==
          std::map<std::string, std::string>{{"position_embedding_type", "\"absolute\""},
                                             {"use_cache", "true"},
                                             {"id2label", "{\"0\": \"yes\"}"}});

    BertConfig usual;
    usual.architectures = {"BertForPreTraining"};
    CHECK(parse_bert_config("config.json", with("", "")) == usual);
    CHECK(parse_bert_config("config.json", with("pad_token_id", "null")) == usual);
}

TEST_CASE("read_bert_config: activations by Hugging Face's names", "[ch14]") {
    const auto act = [](const std::string& name) {
        return parse_bert_config("x", with("hidden_act", "\"" + name + "\"")).hidden_act;
    };
    CHECK(act("gelu") == Activation::gelu);
    CHECK(act("gelu_new") == Activation::gelu_tanh);
    CHECK(act("gelu_pytorch_tanh") == Activation::gelu_tanh);
    CHECK(act("relu") == Activation::relu);
}

TEST_CASE("read_bert_config: what is not a good config is refused by key", "[ch14]") {
    struct Case {
        std::string key, value, fault;
    };
    const std::vector<Case> cases{
        {"hidden_size", "",
         "config.json: top: a key is missing (found none, expected the key "
         "\"hidden_size\")"},
        {"vocab_size", "", "expected the key \"vocab_size\""},
        {"type_vocab_size", "", "expected the key \"type_vocab_size\""},
        {"hidden_size", "null",
         "config.json: hidden_size: not a whole number (found null, expected digits only"},
        {"hidden_size", "\"768\"", "hidden_size: not a whole number (found the string \"768\""},
        {"hidden_size", "768.0", "hidden_size: not a whole number (found 768.0"},
        {"hidden_size", "7.68e2", "hidden_size: not a whole number (found 7.68e2"},
        {"hidden_size", "0", "hidden_size: out of range (found 0, expected 1 to 65536)"},
        {"num_attention_heads", "0", "num_attention_heads: out of range (found 0"},
        {"num_attention_heads", "-12", "num_attention_heads: not a whole number (found -12"},
        {"num_attention_heads", "7",
         "num_attention_heads: hidden_size 768 is not a multiple of num_attention_heads 7 (found "
         "7, expected a divisor of hidden_size)"},
        {"num_hidden_layers", "0", "num_hidden_layers: out of range (found 0, expected 1 to 1024)"},
        {"num_hidden_layers", "-1", "num_hidden_layers: not a whole number"},
        {"num_hidden_layers", "1025", "num_hidden_layers: out of range"},
        {"vocab_size", "0", "vocab_size: out of range (found 0"},
        {"vocab_size", "2147483648",
         "vocab_size: out of range (found 2147483648, expected 1 to "
         "2147483647)"},
        {"vocab_size", "9223372036854775808", "vocab_size: out of range"},
        {"vocab_size", "18446744073709551616", "vocab_size: not a whole number"},
        {"intermediate_size", "1048577", "intermediate_size: out of range"},
        {"max_position_embeddings", "0", "max_position_embeddings: out of range"},
        {"max_position_embeddings", "1000000000000", "max_position_embeddings: out of range"},
        {"type_vocab_size", "0", "type_vocab_size: out of range"},
        {"layer_norm_eps", "0", "layer_norm_eps: out of range (found 0, expected more than 0)"},
        {"layer_norm_eps", "-1e-12", "layer_norm_eps: out of range (found -1e-12"},
        {"layer_norm_eps", "\"NaN\"", "layer_norm_eps: wrong kind of value (found the string"},
        {"layer_norm_eps", "1e400", "config.json: line 1, column "},
        {"layer_norm_eps", "NaN", "not JSON"},
        {"hidden_dropout_prob", "-0.1",
         "hidden_dropout_prob: out of range (found -0.1, expected 0 "
         "<= p < 1)"},
        {"hidden_dropout_prob", "1.0", "hidden_dropout_prob: out of range"},
        {"attention_probs_dropout_prob", "1.5", "attention_probs_dropout_prob: out of range"},
        {"initializer_range", "-1", "initializer_range: out of range"},
        {"pad_token_id", "30522",
         "pad_token_id: out of range (found 30522, expected an id below "
         "vocab_size 30522)"},
        {"pad_token_id", "-1", "pad_token_id: not a whole number"},
        {"hidden_act", "\"swish9\"",
         "hidden_act: unknown activation (found the string \"swish9\", "
         "expected gelu, gelu_new, gelu_pytorch_tanh or relu)"},
        {"hidden_act", "\"\"", "hidden_act: unknown activation"},
        {"hidden_act", "1", "hidden_act: wrong kind of value (found 1, expected a string)"},
        {"model_type", "\"gpt2\"",
         "model_type: unsupported (found the string \"gpt2\", expected "
         "\"bert\")"},
        {"position_embedding_type", "\"relative_key\"", "position_embedding_type: unsupported"},
        {"is_decoder", "true", "is_decoder: unsupported (found true, expected false)"},
        {"add_cross_attention", "true", "add_cross_attention: unsupported"},
        {"architectures", "7", "architectures: wrong kind of value"},
        {"architectures", "[7]", "architectures[0]: wrong kind of value"},
    };
    for (const auto& [key, value, fault] : cases) {
        INFO(key << " = " << value);
        CHECK_THAT(fault_of(with(key, value)), ContainsSubstring(fault));
    }
}

TEST_CASE("read_bert_config: a file that is no config is refused", "[ch14]") {
    CHECK_THAT(fault_of(""), ContainsSubstring("config.json: line 1, column 1: not JSON"));
    CHECK_THAT(fault_of("vocab_size = 3"), ContainsSubstring("line 1, column 1: not JSON"));
    CHECK_THAT(fault_of("[1]"), ContainsSubstring("top: wrong kind of value (found a list"));
    CHECK_THAT(fault_of("\xEF\xBB\xBF" + with("", "")), ContainsSubstring("a byte order mark"));
    CHECK_THAT(fault_of(with("vocab_size", "1,\"hidden_size\":768")),
               ContainsSubstring("hidden_size: duplicate key"));
    CHECK_THAT(fault_of(with("x", std::string(1000000, '['))),
               ContainsSubstring("nested too deep"));
    const auto folder = bert::test::scratch_folder("config");
    const std::string path = (folder / "config.json").string();
    CHECK_THROWS_AS(bert::read_bert_config(path), bert::IoError);
    CHECK_THROWS_AS(bert::read_bert_config(folder.string()), FileError);
    std::ofstream{path} << "{}";
    std::filesystem::resize_file(path, std::uint64_t{1} << 30);
    CHECK_THROWS_WITH(bert::read_bert_config(path),
                      ContainsSubstring("is too large (found 1073741824 bytes, expected at most "
                                        "1048576"));
}

TEST_CASE("write_bert_config: what is written is read again", "[ch14]") {
    const auto folder = bert::test::scratch_folder("config_write");
    const std::string path = (folder / "config.json").string();
    BertConfig config = bert::bert_size("mini");
    config.hidden_act = Activation::gelu_tanh;
    config.layer_norm_eps = 1e-5;
    config.hidden_dropout_prob = 0;
    config.attention_probs_dropout_prob = 1.0 / 3;
    config.initializer_range = 1;
    config.pad_token_id = 3;
    config.architectures = {"BertForMaskedLM", "a \"name\""};
    config.other = {{"use_cache", "true"}, {"id2label", "{\"0\": [1.50, null]}"}};
    bert::write_bert_config(path, config);
    CHECK(bert::read_bert_config(path) == config);
    const std::string text = bert::to_json(config);
    // Whole numbers stay numbers with a point: transformers checks the kind.
    CHECK_THAT(text, ContainsSubstring("\"initializer_range\": 1.0,") &&
                         ContainsSubstring("\"hidden_act\": \"gelu_new\"") &&
                         ContainsSubstring("\"layer_norm_eps\": 1e-05"));
    CHECK(parse_bert_config("x", bert::to_json(BertConfig{})) == BertConfig{});
    BertConfig tanh = parse_bert_config("x", with("hidden_act", "\"gelu_pytorch_tanh\""));
    CHECK_THAT(bert::to_json(tanh), ContainsSubstring("\"hidden_act\": \"gelu_pytorch_tanh\""));
    tanh.hidden_act = Activation::relu;
    CHECK_THAT(bert::to_json(tanh), ContainsSubstring("\"hidden_act\": \"relu\""));
}

TEST_CASE("bert_size: the six sizes of the table", "[ch14]") {
    for (const std::string name : {"tiny", "mini", "small", "medium", "base", "large"}) {
        const BertConfig config = bert::bert_size(name);
        INFO(name);
        CHECK(config.hidden_size == 64 * config.num_attention_heads);  // a head is 64 wide in all
        CHECK(config.intermediate_size == 4 * config.hidden_size);
        CHECK(config.vocab_size == 30522);
    }
    CHECK(bert::bert_size("base") == BertConfig{});
    CHECK(bert::bert_size("tiny").hidden_size == 128);
    CHECK(bert::bert_size("tiny").num_hidden_layers == 2);
    CHECK(bert::bert_size("mini").num_hidden_layers == 4);
    CHECK(bert::bert_size("mini").hidden_size == 256);
    CHECK(bert::bert_size("small").num_hidden_layers == 4);
    CHECK(bert::bert_size("small").hidden_size == 512);
    CHECK(bert::bert_size("medium").num_hidden_layers == 8);
    CHECK(bert::bert_size("medium").hidden_size == 512);
    CHECK(bert::bert_size("large").num_hidden_layers == 24);
    CHECK(bert::bert_size("large").hidden_size == 1024);
    CHECK_THROWS_WITH(bert::bert_size("huge"), ContainsSubstring("size \"huge\" (expected tiny"));
}

TEST_CASE("weight_bytes: by hand for a small config and never wrapping", "[ch14]") {
    BertConfig config;
    config.vocab_size = 10;
    config.hidden_size = 4;
    config.num_hidden_layers = 3;
    config.num_attention_heads = 2;
    config.intermediate_size = 5;
    config.max_position_embeddings = 6;
    config.type_vocab_size = 2;
    // (10 + 6 + 2) 4 = 72; a layer 4 16 + 2 20 + 9 4 + 5 = 145; 2 16 + 10 = 42.
    CHECK(bert::weight_bytes(config) == (72 + 3 * 145 + 42) * sizeof(bert::Real));
    config.hidden_size = std::numeric_limits<std::size_t>::max();
    CHECK(bert::weight_bytes(config) == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("require_memory: a model that does not fit is refused with both sizes", "[ch14]") {
    const BertConfig large = bert::bert_size("large");
    const std::uint64_t bytes = bert::weight_bytes(large);
    CHECK_NOTHROW(bert::require_memory(large, bytes));
    CHECK_THROWS_AS(bert::require_memory(large, bytes - 1), std::length_error);
    const std::string needed = sizeof(bert::Real) == 4 ? "1.345 GB" : "2.690 GB";
    CHECK_THROWS_WITH(bert::require_memory(large, 1'000'000'000),
                      ContainsSubstring("weights need " + needed + " (limit 1.000 GB)"));
    CHECK(bert::too_large("x needs", 50e6 + 1, 50e6) == "x needs 0.051 GB (limit 0.050 GB)");
    CHECK(bert::memory_limit() > 100'000'000);
    CHECK_NOTHROW(bert::require_memory(bert::bert_size("tiny")));
}

TEST_CASE("memory_limit: the limit of the process when it is the smaller one", "[ch14]") {
    struct rlimit before {};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    struct rlimit low = before;
    low.rlim_cur = 1U << 26;
    // No memory is taken between these three lines.
    const int set = ::setrlimit(RLIMIT_AS, &low);
    const std::uint64_t limit = bert::memory_limit();
    const int reset = ::setrlimit(RLIMIT_AS, &before);
    CHECK(set == 0);
    CHECK(reset == 0);
    CHECK(limit == 1U << 26);
}
