// bert inspect and bert convert.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ch14_bert/checkpoint.hpp"
#include "common/io/safetensors.hpp"
#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;
using Json = nlohmann::json;

namespace {

Outcome inspect(const std::filesystem::path& folder, const std::string& arguments) {
    return program(folder, "bert", "inspect " + arguments);
}

// The tensors of a file again, after a change of their names.
template <typename Rename>
void rewrite(const std::filesystem::path& path, const Rename& rename) {
    const SafetensorsFile file{path.string()};
    SafetensorsWriter writer;
    for (const SafetensorsEntry& entry : file.entries()) {
        const std::string name = rename(entry.name);
        if (!name.empty()) writer.add(name, file.tensor(entry));
    }
    writer.write(path.string());
}

}  // namespace

TEST_CASE("bert inspect: config parameters and tensors of a folder", "[bert]") {
    const auto folder = tiny_model("bert-inspect");
    const Outcome outcome = inspect(folder, ".");
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring("\"hidden_size\": 32"));
    const std::size_t parameters = parameter_count(tiny_config(), {});
    CHECK_THAT(outcome.out, ContainsSubstring(std::to_string(parameters) + " parameters, "));
    CHECK_THAT(outcome.out, ContainsSubstring("bert.pooler.dense.weight"));
    CHECK_THAT(outcome.out, ContainsSubstring("[32, 32]"));
    CHECK(outcome.out == inspect(folder, "--model .").out);
    const Json json = Json::parse(inspect(folder, "--json .").out);
    CHECK(json.at("config").at("num_attention_heads") == 4);
    CHECK(json.at("parameters") == parameters);
    const Json& first = json.at("tensors").at(0);
    CHECK(first.at("dtype") == "F32");
    CHECK(first.at("offset") == 0);
    CHECK(first.at("file") == "model.safetensors");
}

TEST_CASE("bert inspect: a file of any tensors is shown", "[bert]") {
    const auto folder = scratch_folder("bert-inspect-file");
    SafetensorsWriter writer;
    writer.add("a\xc3\xa9", Tensor(Shape{2, 3}));
    writer.add_bytes("counts", SafetensorsType::I64, {1}, "12345678");
    writer.add_bytes("embeddings.position_ids", SafetensorsType::I64, {1}, "12345678");  // a buffer
    writer.write((folder / "x.safetensors").string());
    const Outcome outcome = inspect(folder, "x.safetensors");
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring("7 parameters, 3 tensors"));
    CHECK_THAT(outcome.out, ContainsSubstring("I64"));
    const Json json = Json::parse(inspect(folder, "--json x.safetensors").out);
    CHECK_FALSE(json.contains("config"));
    CHECK(json.at("tensors").size() == 3);
    const Outcome checked = inspect(folder, "--check x.safetensors");
    CHECK(checked.out == "ok\n");
    CHECK_THAT(checked.err, ContainsSubstring("no config.json"));
}

TEST_CASE("bert inspect: bad files are refused with one line", "[bert]") {
    const auto folder = tiny_model("bert-inspect-bad");
    const std::string whole = content(folder / "model.safetensors");
    write(folder / "cut.safetensors", whole.substr(0, whole.size() - 1));
    check_refused(inspect(folder, "cut.safetensors"), 3, "cut.safetensors: ");
    write(folder / "empty.safetensors", "");
    check_refused(inspect(folder, "empty.safetensors"), 3, "empty.safetensors: ");
    check_refused(inspect(folder, "none.safetensors"), 4, "none.safetensors");
    check_refused(inspect(folder, "a b"), 2, "found 2");
    check_refused(inspect(folder, ". --model ."), 2, "not both");
    write(folder / "config.json", "{}");
    check_refused(inspect(folder, "."), 3, "config.json");
}

TEST_CASE("bert inspect: --check wants every tensor of the config", "[bert]") {
    const auto folder = tiny_model("bert-check");
    CHECK(inspect(folder, "--check .").out == "ok\n");
    CHECK(inspect(folder, "--check model.safetensors").out == "ok\n");
    rewrite(folder / "model.safetensors", [](const std::string& name) {
        return name == "bert.encoder.layer.1.output.dense.bias" ? std::string{} : name;
    });
    check_refused(inspect(folder, "--check ."), 3, "no bert.encoder.layer.1.output.dense.bias");
    CHECK(inspect(folder, ".").code == 0);
    BertConfig config = tiny_config();
    config.max_position_embeddings = 17;
    config.num_hidden_layers = 3;
    write_bert_config((folder / "config.json").string(), config);
    const Outcome outcome = inspect(folder, "--check .");
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, ContainsSubstring("position_embeddings.weight of shape (16, 32)"));
    CHECK_THAT(outcome.err, ContainsSubstring("no bert.encoder.layer.2."));
}

TEST_CASE("bert inspect: --check looks at what is tied too", "[bert]") {
    const auto folder = tiny_model("bert-tied-shapes");
    const SafetensorsFile file{(folder / "model.safetensors").string()};
    SafetensorsWriter writer;
    for (const SafetensorsEntry& entry : file.entries())
        writer.add(entry.name, file.tensor(entry));
    writer.add("cls.predictions.decoder.weight", Tensor(Shape{3, 32}));
    writer.add("cls.predictions.decoder.bias", Tensor(Shape{3}));
    writer.write((folder / "model.safetensors").string());
    check_refused(inspect(folder, "--check ."), 3,
                  "cls.predictions.decoder.weight of shape (3, 32) not (24, 32), "
                  "cls.predictions.decoder.bias of shape (3) not (24)");
}

TEST_CASE("bert inspect: --check wants the heads of the class in config.json", "[bert]") {
    const auto folder = tiny_model("bert-classes", {.seq_relationship = false});
    BertConfig config = tiny_config();
    for (const char* name : {"BertModel", "BertForMaskedLM"}) {
        config.architectures = {name};
        write_bert_config((folder / "config.json").string(), config);
        CHECK(inspect(folder, "--check .").code == 0);
    }
    config.architectures = {"BertForPreTraining"};
    write_bert_config((folder / "config.json").string(), config);
    check_refused(inspect(folder, "--check ."), 3, "no cls.seq_relationship.weight");
}

TEST_CASE("bert convert: every tensor keeps its bits", "[bert]") {
    const auto folder = tiny_model("bert-convert");
    const SafetensorsFile before{(folder / "model.safetensors").string()};
    REQUIRE(bert_in(folder, "convert", "--out new").code == 0);
    const SafetensorsFile after{(folder / "new/model.safetensors").string()};
    REQUIRE(after.entries().size() == before.entries().size());
    for (const SafetensorsEntry& entry : before.entries()) {
        REQUIRE(after.find(entry.name) != nullptr);
        CHECK(after.bytes(*after.find(entry.name)) == before.bytes(entry));
    }
    CHECK(content(folder / "new/vocab.txt") == tiny_vocabulary);
    CHECK(bert_in(folder, "embed", "'the cat'").out ==
          program(folder, "bert", "embed --model new 'the cat'").out);
}

TEST_CASE("bert convert: halves take half the space and say nearly the same", "[bert]") {
    const auto folder = tiny_model("bert-convert-type");
    REQUIRE(bert_in(folder, "convert", "--out half --type F16").code == 0);
    const SafetensorsFile half{(folder / "half/model.safetensors").string()};
    for (const SafetensorsEntry& entry : half.entries())
        CHECK(entry.type == SafetensorsType::F16);
    CHECK(program(folder, "bert", "embed --model half 'the cat'").code == 0);
    check_refused(bert_in(folder, "convert", "--out other --type F64"), 2,
                  "--type: no such type (found F64, expected F16, BF16 or F32)");
}

TEST_CASE("bert convert: old names become the current ones", "[bert]") {
    const auto folder = tiny_model("bert-old");
    const std::string vector = bert_in(folder, "embed", "'the cat'").out;
    rewrite(folder / "model.safetensors", [](std::string name) {
        const std::size_t norm = name.find("LayerNorm.");
        if (norm != std::string::npos)
            name = name.substr(0, norm) +
                   (name.ends_with("weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
        return name;
    });
    CHECK_THAT(inspect(folder, ".").out,
               ContainsSubstring("LayerNorm.beta as bert.embeddings.LayerNorm.bias"));
    CHECK(bert_in(folder, "embed", "'the cat'").out == vector);
    REQUIRE(bert_in(folder, "convert", "--out new").code == 0);
    CHECK(SafetensorsFile{(folder / "new/model.safetensors").string()}.find(
              "bert.embeddings.LayerNorm.weight") != nullptr);
    CHECK(program(folder, "bert", "embed --model new 'the cat'").out == vector);
}

TEST_CASE("bert convert: paths that do not fit are refused", "[bert]") {
    const auto folder = tiny_model("bert-convert-paths");
    check_refused(bert_in(folder, "convert", ""), 2, "--out DIR is missing");
    check_refused(bert_in(folder, "convert", "--out ."), 2, "is the input");
    check_refused(bert_in(folder, "convert", "--out \"../$(basename \"$PWD\")/\""), 2,
                  "is the input");
    check_refused(bert_in(folder, "convert", "--out vocab.txt"), 2, "is a file");
    check_refused(bert_in(folder, "convert", "--out no/new"), 2, "there is no folder no");
    CHECK(bert_in(folder, "convert", "--out new/").code == 0);
    std::filesystem::create_symlink("nowhere", folder / "link");
    check_refused(bert_in(folder, "convert", "--out link"), 4, "error: link: ");
    std::filesystem::create_directory(folder / "shards");
    write(folder / "shards/model.safetensors.index.json", "{}");
    check_refused(bert_in(folder, "convert", "--out shards"), 2, "model.safetensors.index.json");
    CHECK_FALSE(std::filesystem::exists(folder / "shards/model.safetensors"));
    // A limit on the size of files, as a disk that is full.
    check_refused(shell("cd '" + folder.string() + "' && ulimit -f 8 && '" + BERT_BINARY_DIR +
                        "/bert' convert --model . --out full"),
                  4, "full/model.safetensors");
    CHECK_FALSE(std::filesystem::exists(folder / "full"));
}

TEST_CASE("bert convert: what fails leaves no folder", "[bert]") {
    const auto folder = tiny_model("bert-convert-fails");
    check_refused(shell("ulimit -f 20; cd '" + folder.string() + "'; '" + BERT_BINARY_DIR +
                        "/bert' convert --model . --out new"),
                  4, "new/model.safetensors: ");
    CHECK_FALSE(std::filesystem::exists(folder / "new"));
    std::filesystem::create_symlink("nowhere", folder / "tokenizer_config.json");
    check_refused(bert_in(folder, "convert", "--out new"), 4, "./tokenizer_config.json: ");
    CHECK_FALSE(std::filesystem::exists(folder / "new"));
    std::filesystem::remove(folder / "tokenizer_config.json");
    std::filesystem::create_symlink("nowhere", folder / "link");
    check_refused(bert_in(folder, "convert", "--out link"), 4, "link: cannot make the folder: ");
}

TEST_CASE("bert convert: a folder with files of another checkpoint is refused", "[bert]") {
    const auto folder = tiny_model("bert-convert-others");
    for (const char* name : {"model.safetensors.index.json", "tokenizer_config.json"}) {
        std::filesystem::create_directory(folder / "new");
        write(folder / "new" / name, "{}");
        check_refused(bert_in(folder, "convert", "--out new"), 2,
                      std::string{"new has a "} + name + " that does not belong to .");
        CHECK(content(folder / "new" / name) == "{}");
        std::filesystem::remove_all(folder / "new");
    }
    CHECK(bert_in(folder, "convert", "--out new").code == 0);
    CHECK(bert_in(folder, "convert", "--out new").code == 0);
}

TEST_CASE("bert: tensors without use are said once", "[bert]") {
    const auto folder = tiny_model("bert-unexpected");
    const SafetensorsFile file{(folder / "model.safetensors").string()};
    SafetensorsWriter writer;
    for (const SafetensorsEntry& entry : file.entries())
        writer.add(entry.name, file.tensor(entry));
    writer.add("classifier.weight", Tensor(Shape{2, 32}));
    writer.write((folder / "model.safetensors").string());
    CHECK(bert_in(folder, "embed", "a").err == "warning: tensors without use: classifier.weight\n");
    CHECK(bert_in(folder, "embed", "--quiet a").err.empty());
}
