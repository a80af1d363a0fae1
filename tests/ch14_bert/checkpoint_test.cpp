#include "ch14_bert/checkpoint.hpp"

#include <filesystem>
#include <map>
#include <span>

#include "ch14_bert/bert.hpp"
#include "ch14_bert/tensor_names.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/io/safetensors.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;
using Catch::Matchers::ContainsSubstring;

namespace {

BertConfig tiny_config() {
    return {.vocab_size = 23,
            .hidden_size = 12,
            .num_hidden_layers = 2,
            .num_attention_heads = 3,
            .intermediate_size = 17,
            .max_position_embeddings = 9,
            .type_vocab_size = 2};
}

Bert tiny_bert(const BertParts& parts = {}) {
    Random random{14};
    Bert bert = random_bert(random, tiny_config(), parts);
    for_each_parameter(bert, [](const std::string&, Tensor& x) {
        for (Real& value : std::span{x.mutable_data(), x.size()})
            value = static_cast<Real>(static_cast<float>(value));  // what a file holds
    });
    return bert;
}

// The tensors of a model by name, for a file that is almost right.
std::map<std::string, Tensor> tensors_of(const Bert& bert) {
    std::map<std::string, Tensor> tensors;
    for_each_parameter(bert, [&](const std::string& name, const Tensor& x) { tensors[name] = x; });
    return tensors;
}

std::string write_folder(const std::string& name, const std::map<std::string, Tensor>& tensors,
                         const BertConfig& config = tiny_config()) {
    const std::string folder = scratch_folder(name).string();
    SafetensorsWriter writer;
    for (const auto& [tensor, x] : tensors)
        writer.add(tensor, x);
    writer.write(folder + "/model.safetensors");
    write_bert_config(folder + "/config.json", config);
    return folder;
}

void check_same(const Bert& a, const Bert& b) {
    const std::map<std::string, Tensor> expected = tensors_of(b);
    std::size_t count = 0;
    for_each_parameter(a, [&](const std::string& name, const Tensor& x) {
        INFO(name);
        CHECK(x == expected.at(name));
        ++count;
    });
    CHECK(count == expected.size());
}

}  // namespace

TEST_CASE("current_name: one name for all that a tensor has had", "[ch14]") {
    CHECK(current_name("bert.pooler.dense.bias") == "bert.pooler.dense.bias");
    CHECK(current_name("pooler.dense.bias") == "bert.pooler.dense.bias");
    CHECK(current_name("encoder.layer.0.output.LayerNorm.gamma") ==
          "bert.encoder.layer.0.output.LayerNorm.weight");
    CHECK(current_name("cls.predictions.transform.LayerNorm.beta") ==
          "cls.predictions.transform.LayerNorm.bias");
    CHECK(current_name("classifier.weight") == "classifier.weight");
    CHECK(current_name("other.gamma") == "other.gamma");
    CHECK(is_buffer("bert.embeddings.position_ids"));
    CHECK(is_buffer("embeddings.token_type_ids"));
    CHECK_FALSE(is_buffer("bert.embeddings.position_embeddings.weight"));
}

TEST_CASE("save_bert: load_bert reads back the same numbers", "[ch14]") {
    for (const BertParts& parts :
         {BertParts{}, BertParts{true, true, false, false}, BertParts{false, true, false, false},
          BertParts{false, false, false, false}}) {
        const Bert bert = tiny_bert(parts);
        const std::string folder = scratch_folder("save_bert").string();
        save_bert(folder, bert);
        CheckpointNotes notes;
        const Bert read = load_bert(folder, &notes);
        check_same(read, bert);
        CHECK(read.config == bert.config);
        CHECK(notes.renamed.empty());
        CHECK(notes.unexpected.empty());
    }
}

TEST_CASE("load_bert: keeps an untied decoder when the config says so", "[ch14]") {
    Bert bert = tiny_bert({.own_decoder = true});
    std::map<std::string, Tensor> tensors = tensors_of(bert);
    CheckpointNotes notes;
    CHECK(load_bert(write_folder("tied", tensors), &notes).predictions->decoder.size() == 0);
    CHECK(notes.untied == std::vector<std::string>{"cls.predictions.decoder.weight"});

    BertConfig config = tiny_config();
    config.other["tie_word_embeddings"] = "false";
    const Bert read = load_bert(write_folder("untied", tensors, config), &notes);
    CHECK(read.predictions->decoder == bert.predictions->decoder);
    CHECK(notes.untied.empty());
    tensors["cls.predictions.decoder.bias"] = Tensor(Shape{23}, std::vector<Real>(23, Real(0.5)));
    CHECK(load_bert(write_folder("own_bias", tensors, config)).predictions->bias(7) == Real(0.5));
    const Tensor hidden = tensors.at("bert.pooler.dense.weight");
    CHECK_FALSE(read.prediction_logits(hidden) == tiny_bert().prediction_logits(hidden));
}

TEST_CASE("load_bert: names every tensor that is missing or has another shape", "[ch14]") {
    std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
    tensors.erase("bert.encoder.layer.1.output.dense.bias");
    tensors.erase("bert.embeddings.word_embeddings.weight");
    tensors["bert.pooler.dense.bias"] = Tensor(Shape{11});
    tensors["unexpected.tensor"] = Tensor(Shape{3});
    const std::string folder = write_folder("missing", tensors);
    CHECK_THROWS_AS(load_bert(folder), FileError);
    CHECK_THROWS_WITH(load_bert(folder),
                      ContainsSubstring("no bert.encoder.layer.1.output.dense.bias") &&
                          ContainsSubstring("no bert.embeddings.word_embeddings.weight") &&
                          ContainsSubstring("bert.pooler.dense.bias of shape (11) not (12)") &&
                          !ContainsSubstring("unexpected"));
}

TEST_CASE("load_bert: copies of what a decoder is tied to have its shape", "[ch14]") {
    std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
    tensors["cls.predictions.decoder.weight"] = Tensor(Shape{22, 11});
    tensors["cls.predictions.decoder.bias"] = Tensor(Shape{22});
    for (const char* tied : {"true", "false"}) {
        BertConfig config = tiny_config();
        config.other["tie_word_embeddings"] = tied;
        const std::string folder = write_folder("copies", tensors, config);
        CHECK_THROWS_WITH(
            load_bert(folder),
            ContainsSubstring("cls.predictions.decoder.weight of shape (22, 11) not (23, 12), "
                              "cls.predictions.decoder.bias of shape (22) not (23)"));
    }
}

TEST_CASE("load_bert: a config with more layers than the file is refused", "[ch14]") {
    BertConfig config = tiny_config();
    config.num_hidden_layers = 3;
    const std::string folder = write_folder("layers", tensors_of(tiny_bert()), config);
    CHECK_THROWS_WITH(load_bert(folder),
                      ContainsSubstring("no bert.encoder.layer.2.attention.self.query.weight"));
    config.num_hidden_layers = 1;
    CheckpointNotes notes;
    load_bert(write_folder("fewer", tensors_of(tiny_bert()), config), &notes);
    CHECK(notes.unexpected.size() == 16);
}

TEST_CASE("load_bert: half a head is refused", "[ch14]") {
    for (const char* name : {"cls.predictions.bias", "cls.predictions.transform.dense.weight",
                             "cls.seq_relationship.bias", "bert.pooler.dense.weight"}) {
        std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
        tensors.erase(name);
        CHECK_THROWS_WITH(load_bert(write_folder("half", tensors)),
                          ContainsSubstring(std::string{"no "} + name));
    }
}

TEST_CASE("load_bert: the same tensor under its old and its new name is refused", "[ch14]") {
    std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
    tensors["bert.embeddings.LayerNorm.gamma"] = Tensor(Shape{12});
    CHECK_THROWS_WITH(load_bert(write_folder("twice", tensors)),
                      ContainsSubstring("two names of one tensor"));
}

TEST_CASE("load_bert: a tensor of whole numbers is refused by name and type", "[ch14]") {
    std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
    tensors.erase("bert.pooler.dense.bias");
    const std::string folder = write_folder("type", tensors);
    SafetensorsWriter writer;
    for (const auto& [name, x] : tensors)
        writer.add(name, x);
    const std::string numbers(12 * 4, '\0');
    writer.add_bytes("bert.pooler.dense.bias", SafetensorsType::I32, {12}, numbers);
    writer.write(folder + "/model.safetensors");
    CHECK_THROWS_WITH(load_bert(folder), ContainsSubstring("bert.pooler.dense.bias of type I32"));
}

TEST_CASE("load_bert: a decoder's bias stands for the head's own", "[ch14]") {
    std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
    auto node = tensors.extract("cls.predictions.bias");
    node.key() = "cls.predictions.decoder.bias";
    node.mapped() = Tensor(Shape{23}, std::vector<Real>(23, Real(0.5)));
    tensors.insert(std::move(node));
    const Bert bert = load_bert(write_folder("bias", tensors));
    CHECK(bert.predictions->bias(7) == Real(0.5));
}

TEST_CASE("convert_checkpoint: the same bits under current names", "[ch14]") {
    std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
    auto node = tensors.extract("bert.embeddings.LayerNorm.weight");
    node.key() = "bert.embeddings.LayerNorm.gamma";
    tensors.insert(std::move(node));
    tensors["cls.predictions.decoder.weight"] =
        tensors.at("bert.embeddings.word_embeddings.weight");
    tensors["bert.embeddings.position_ids"] = Tensor(Shape{1, 9});
    tensors["classifier.weight"] = Tensor(Shape{2, 12}, std::vector<Real>(24, Real(0.25)));
    const std::string from = write_folder("convert_from", tensors);
    write_file(from + "/vocab.txt", "[PAD]\n");
    const std::string to = scratch_folder("convert_to").string() + "/new/folder";
    convert_checkpoint(from, to);
    CHECK(read_file(to + "/vocab.txt", 100) == "[PAD]\n");
    check_same(load_bert(to), tiny_bert());
    const SafetensorsFile file{to + "/model.safetensors"};
    CHECK(file.entries().size() == tensors_of(tiny_bert()).size() + 1);
    REQUIRE(file.find("classifier.weight") != nullptr);
    CHECK(file.tensor(*file.find("classifier.weight")) == tensors.at("classifier.weight"));
}

TEST_CASE("convert_checkpoint: keeps halves and files without a prefix as they are", "[ch14]") {
    for (const char* name : {"k_half", "l_bfloat_shards", "i_bare", "m_old_names"}) {
        const std::string from = std::string{BERT_SOURCE_DIR "/data/golden/bert/"} + name;
        const std::string to = scratch_folder("convert").string();
        convert_checkpoint(from, to);
        check_same(load_bert(to), load_bert(from));
        const CheckpointFiles before{from};
        const SafetensorsFile after{to + "/model.safetensors"};
        for (const SafetensorsEntry& entry : after.entries()) {
            if (entry.name.find("LayerNorm") != std::string::npos)
                continue;  // may have been renamed
            const CheckpointTensor* const old = before.find(entry.name);
            INFO(entry.name);
            REQUIRE(old != nullptr);
            CHECK(old->entry->type == entry.type);
            CHECK(old->bytes() == after.bytes(entry));
        }
    }
}

TEST_CASE("convert_checkpoint: rounds weights to a type when asked", "[ch14]") {
    std::map<std::string, Tensor> tensors = tensors_of(tiny_bert());
    const std::string from = write_folder("convert_type_from", tensors);
    for (const SafetensorsType type :
         {SafetensorsType::F16, SafetensorsType::BF16, SafetensorsType::F32}) {
        const std::string to = scratch_folder("convert_type").string();
        convert_checkpoint(from, to, type);
        const SafetensorsFile file{to + "/model.safetensors"};
        CHECK(file.entries().size() == tensors.size());
        // 11 and 8 significant bits, rounded: half a unit of the last one.
        const double relative = type == SafetensorsType::F16    ? 1.0 / 2048
                                : type == SafetensorsType::BF16 ? 1.0 / 256
                                                                : 0.0;
        for (const SafetensorsEntry& entry : file.entries()) {
            CHECK(entry.type == type);
            const Tensor found = file.tensor(entry);
            const Tensor& expected = tensors.at(entry.name);
            for (std::size_t i = 0; i < found.size(); ++i) {
                const auto x = static_cast<double>(expected.data()[i]);
                REQUIRE(std::abs(static_cast<double>(found.data()[i]) - x) <=
                        relative * std::abs(x) + 3e-8);  // below 2^-14 halves are 2^-24 apart
            }
        }
    }
    const std::string to = scratch_folder("convert_type").string();
    CHECK_THROWS_AS(convert_checkpoint(from, to, SafetensorsType::I32), std::invalid_argument);
    tensors.at("bert.pooler.dense.bias")(0) = Real(70000);
    CHECK_THROWS_WITH(
        convert_checkpoint(write_folder("convert_type_large", tensors), to, SafetensorsType::F16),
        ContainsSubstring("bert.pooler.dense.bias has a number that F16"));
}

TEST_CASE("PretrainedBert: a vocabulary of another size than the config is refused", "[ch14]") {
    const std::string folder = write_folder("vocabulary", tensors_of(tiny_bert()));
    CHECK_FALSE(PretrainedBert::load(folder).has_tokenizer());
    CHECK_THROWS_AS(PretrainedBert::load(folder).encode("a"), std::logic_error);
    write_file(folder + "/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
    CHECK_THROWS_WITH(PretrainedBert::load(folder),
                      ContainsSubstring("found 6, expected vocab_size 23"));
}

TEST_CASE("PretrainedBert: a random one runs and is the same for the same seed", "[ch14]") {
    const BertInput input = input_of_ids({1, 2, 3, 4});
    const auto run = [&](std::uint64_t seed) {
        Random random{seed};
        return PretrainedBert::random(random, tiny_config())(input);
    };
    const BertOutput output = run(1);
    CHECK(output.last_hidden_state.shape() == Shape{1, 4, 12});
    CHECK(output.pooler_output.has_value());
    CHECK(output.last_hidden_state == run(1).last_hidden_state);
    CHECK_FALSE(output.last_hidden_state == run(2).last_hidden_state);
}

TEST_CASE("PretrainedBert: a file that is cut short while the model is used is noticed", "[ch14]") {
    if constexpr (sizeof(Real) != sizeof(float)) return;  // converted when it is loaded
    const std::string folder = write_folder("cut", tensors_of(tiny_bert()));
    const PretrainedBert model = PretrainedBert::load(folder);
    const BertInput input = input_of_ids({1, 2, 3});
    CHECK_NOTHROW(model(input));
    std::filesystem::resize_file(folder + "/model.safetensors", 100);
    CHECK_THROWS_WITH(model(input), ContainsSubstring("changed while it was read"));
}
