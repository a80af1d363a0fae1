// bert attention: its dump against the library's own run, each format, and what is refused.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "ch17_attention_maps/head_summary.hpp"
#include "ch17_attention_maps/rollout.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/io/sha256.hpp"
#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;
using Json = nlohmann::json;

namespace {

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("bert attention: the npz dump holds the maps and what belongs to them", "[bert]") {
    const auto folder = tiny_model("bert-attention");
    const Outcome outcome = bert_in(folder, "attention",
                                    "--out m.npz 'the cats' --pair 'a dog' --layers 1 --heads 0-2");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.out.empty());
    const AttentionDump dump = read_attention_npz((folder / "m.npz").string());
    const PretrainedBert model = PretrainedBert::load(folder.string());
    BertInput input = input_of_ids({2, 5, 6, 7, 3, 11, 12, 3});
    input.token_type_ids = {0, 0, 0, 0, 0, 1, 1, 1};
    const Tensor expected = model(input, {.attentions = true}).attentions[1];
    REQUIRE(dump.attentions.shape() == Shape{1, 1, 3, 8, 8});
    for (std::size_t i = 0; i < dump.attentions.size(); ++i)
        CHECK_THAT(static_cast<double>(dump.attentions.data()[i]),
                   WithinAbs(static_cast<double>(expected.data()[i]), 1e-6));
    CHECK(dump.layers == std::vector<std::int32_t>{1});
    CHECK(dump.heads == std::vector<std::int32_t>{0, 1, 2});
    CHECK(dump.tokens[0] ==
          std::vector<std::string>{"[CLS]", "the", "cat", "##s", "[SEP]", "a", "dog", "[SEP]"});
    CHECK(dump.text == "the cats");
    CHECK(dump.second_text == "a dog");
    CHECK(dump.sentence_b_start == std::vector<std::optional<std::int32_t>>{5});
    CHECK(dump.token_numbers.at("offsets").shape == Shape{1, 8, 2});
    CHECK(dump.token_numbers.at("word_ids").values ==
          std::vector<std::int32_t>{-1, 0, 1, 1, -1, 0, 1, -1});
    CHECK(dump.weights_sha256 == sha256_of_file((folder / "model.safetensors").string()));
    CHECK(Json::parse(dump.model_config).at("hidden_size") == 32);
}

TEST_CASE("bert attention: several texts are padded in one dump", "[bert]") {
    const auto folder = tiny_model("bert-maps");
    write(folder / "lines.txt", "the cat sat\na\n");
    REQUIRE(bert_in(folder, "attention", "--out m.npz --text-file lines.txt").code == 0);
    const AttentionDump dump = read_attention_npz((folder / "m.npz").string());
    CHECK(dump.attentions.shape() == Shape{2, 2, 4, 5, 5});
    CHECK(dump.token_numbers.at("attention_mask").values ==
          std::vector<std::int32_t>{1, 1, 1, 1, 1, 1, 1, 1, 0, 0});
    CHECK(dump.tokens[1][4] == "[PAD]");
    check_refused(bert_in(folder, "attention", "--out m.csv --text-file lines.txt"), 2, "one text");
}

TEST_CASE("bert attention: CR LF ends a line and CR alone does not", "[bert]") {
    const auto folder = tiny_model("bert-crlf");
    write(folder / "lines.txt", "the\rcat\r\n");
    REQUIRE(bert_in(folder, "attention", "--out m.npz --text-file lines.txt").code == 0);
    CHECK(read_attention_npz((folder / "m.npz").string()).text == "the\rcat");
}

TEST_CASE("bert attention: each suffix gives its format", "[bert]") {
    const auto folder = tiny_model("bert-formats");
    for (const char* name : {"m.json", "m.csv", "m.svg", "m.png", "one.svg", "one.png"}) {
        const std::string one =
            std::string{name}.starts_with("one") ? " --layers 0 --heads 3 " : " ";
        CHECK(bert_in(folder, "attention", std::string{"--out "} + name + one + "'the cat'").code ==
              0);
    }
    const Json json = Json::parse(content(folder / "m.json"));
    CHECK(json.at("attentions").size() == 2);
    CHECK(json.at("meta").at("text").at(0) == "the cat");
    CHECK(count_lines(content(folder / "m.csv")) == 1 + 2 * 4 * 4 * 4);
    CHECK_THAT(content(folder / "m.svg"), ContainsSubstring("<svg"));
    CHECK(content(folder / "m.svg") != content(folder / "one.svg"));
    CHECK_THAT(content(folder / "one.svg"), ContainsSubstring("cat"));
    CHECK(content(folder / "m.png").substr(1, 3) == "PNG");
    CHECK(bert_in(folder, "attention", "--out odd.bin --format npz 'the cat'").code == 0);
    CHECK(read_attention_npz((folder / "odd.bin").string()).layers.size() == 2);
}

TEST_CASE("bert attention: text and summary go to standard output", "[bert]") {
    const auto folder = tiny_model("bert-drawing");
    const Outcome drawn = bert_in(folder, "attention", "'the cat'");
    CHECK(drawn.code == 0);
    CHECK_THAT(drawn.out, ContainsSubstring("[CLS]"));
    CHECK(drawn.out.find('\x1b') == std::string::npos);
    CHECK(bert_in(folder, "attention", "--format text --layers 1 --heads 0 'the cat'").out ==
          drawn.out);
    CHECK(bert_in(folder, "attention", "--layers 0 'the cat'").out != drawn.out);
    const Outcome summary = bert_in(folder, "attention", "--summary 'the cat'");
    CHECK(count_lines(summary.out) == 1 + 2 * 4);
    REQUIRE(bert_in(folder, "attention", "--out m.npz 'the cat'").code == 0);
    CHECK(summary.out ==
          summary_table(head_summary(read_attention_npz((folder / "m.npz").string()))));
    const Outcome json = bert_in(folder, "attention", "--summary --json --heads 2 'the cat'");
    CHECK(count_lines(json.out) == 2);
    CHECK(Json::parse(json.out.substr(0, json.out.find('\n'))).at("head") == 2);
}

TEST_CASE("bert attention: rollout is that of all layers and heads", "[bert]") {
    const auto folder = tiny_model("bert-rollout");
    write(folder / "lines.txt", "the cat sat\na\n");
    REQUIRE(bert_in(folder, "attention", "--out all.npz --text-file lines.txt").code == 0);
    REQUIRE(bert_in(folder, "attention",
                    "--rollout --layers 1 --heads 0 --out m.npz --text-file lines.txt")
                .code == 0);
    const AttentionDump all = read_attention_npz((folder / "all.npz").string());
    const AttentionDump dump = read_attention_npz((folder / "m.npz").string());
    CHECK_FALSE(all.rollout.has_value());
    CHECK(dump.attentions.shape() == Shape{1, 2, 1, 5, 5});
    REQUIRE(dump.rollout.has_value());
    REQUIRE(dump.rollout->shape() == Shape{2, 5, 5});
    CHECK(max_error(*dump.rollout, rollout(all)) <= 1e-7);  // seen: 0, and 2e-8 with double
    REQUIRE(bert_in(folder, "attention", "--rollout --out m.json 'the cat sat'").code == 0);
    const Json json = Json::parse(content(folder / "m.json"));
    CHECK(json.at("meta").at("axes").at("rollout") == Json({"batch", "target", "source"}));
    CHECK_THAT(json.at("rollout").at(0).at(1).at(2).get<double>(),
               WithinAbs(static_cast<double>((*dump.rollout)(0, 1, 2)), 1e-5));

    const Outcome drawn = bert_in(folder, "attention", "--rollout 'the cat sat'");
    CHECK(drawn.code == 0);
    CHECK_THAT(drawn.out, ContainsSubstring("Rollout"));
    CHECK(bert_in(folder, "attention", "--rollout --summary 'the cat sat'").out ==
          drawn.out + bert_in(folder, "attention", "--summary 'the cat sat'").out);
    REQUIRE(bert_in(folder, "attention", "--rollout --out m.svg 'the cat sat'").code == 0);
    CHECK(content(folder / "m.svg") == heatmap_svg(rollout_heatmap([&] {
              REQUIRE(bert_in(folder, "attention", "--out one.npz 'the cat sat'").code == 0);
              return read_attention_npz((folder / "one.npz").string());
          }())));
    check_refused(bert_in(folder, "attention", "--rollout --out m.csv a"), 2, "csv");
    check_refused(bert_in(folder, "attention", "--rollout --layers 1 a"), 2, "without --layers");
}

TEST_CASE("bert attention: what it cannot do is refused", "[bert]") {
    const auto folder = tiny_model("bert-attention-refusals");
    const auto refused = [&](const std::string& arguments, int code, const std::string& message) {
        check_refused(bert_in(folder, "attention", arguments + " 'the cat'"), code, message);
    };
    refused("--out m.html", 2, "html");
    refused("--out m.gif", 2, "unknown format (found gif");
    refused("--out m", 2, "suffix");
    refused("--format html", 2, "html");
    refused("--format npz", 2, "--out PATH is missing");
    refused("--format text --out m.npz", 2, "without --out");
    refused("--out m.npz --layers 2", 2, "--layers");
    refused("--out m.npz --heads 3-1", 2, "--heads");
    refused("--out m.npz --heads x", 2, "--heads");
    refused("--json", 2, "--summary");
    refused("--out no/m.npz", 2, "there is no folder no");
    refused("--out vocab.txt", 2, "txt");
    refused("--out /dev/full --format npz", 4, "/dev/full");
    CHECK_FALSE(std::filesystem::exists(folder / "m.npz"));
}

TEST_CASE("bert attention: the drawing is ASCII unless the environment names UTF-8", "[bert]") {
    const auto folder = tiny_model("bert-drawing");
    const auto is_ascii = [&](const std::string& environment) {
        const Outcome outcome =
            shell("cd '" + folder.string() + "'; unset LC_ALL LC_CTYPE LANG; " + environment +
                  " '" + BERT_BINARY_DIR + "/bert' attention --model . 'the cat'");
        CHECK(outcome.code == 0);
        return std::all_of(outcome.out.begin(), outcome.out.end(),
                           [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    };
    CHECK(is_ascii(""));
    CHECK(is_ascii("LC_ALL=C LANG=en_US.UTF-8"));
    CHECK_FALSE(is_ascii("LANG=en_US.UTF-8"));
    CHECK_FALSE(is_ascii("LC_ALL=C.UTF-8"));
}
