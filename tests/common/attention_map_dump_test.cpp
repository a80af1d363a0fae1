#include "common/attention_map/attention_dump.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "common/io/npz.hpp"
#include "common/tensor/elementwise.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using bert::AttentionDump;
using bert::AttentionMask;
using bert::Real;
using bert::Shape;
using bert::Tensor;

namespace {

// Two layers, one sequence, one head, two tokens.
AttentionDump small_dump() {
    AttentionDump dump;
    dump.attentions =
        Tensor(Shape{2, 1, 1, 2, 2}, {1.0F, 0.0F, 0.25F, 0.75F, 0.5F, 0.5F, 0.125F, 0.875F});
    dump.layers = {3, 7};
    dump.heads = {5};
    dump.tokens = {{"猫", "a,\"b"}};
    dump.title = "Example";
    dump.model = "BertModel";
    dump.text = "猫 a,\"b";
    return dump;
}

}  // namespace

TEST_CASE("write_attention_npz: arrays and meta come back", "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.scores = dump.attentions * Real{4};
    dump.queries = Tensor(Shape{2, 1, 1, 2, 3});
    dump.token_numbers["input_ids"] = {{1, 2}, {101, 7}};
    dump.token_numbers["offsets"] = {{1, 2, 2}, {0, 1, 2, 6}};
    const std::string path = (bert::test::scratch_folder("attention_dump") / "x.npz").string();
    bert::write_attention_npz(path, dump);
    const auto arrays = bert::read_npz(path);

    CHECK(arrays.size() == 9);
    CHECK(arrays.at("attentions").dtype() == "<f4");
    CHECK(arrays.at("attentions").to_tensor() == dump.attentions);
    CHECK(arrays.at("scores").to_tensor() == *dump.scores);
    CHECK(arrays.at("queries").shape() == Shape{2, 1, 1, 2, 3});
    CHECK(arrays.at("layers").to_ints() == std::vector<std::int64_t>{3, 7});
    CHECK(arrays.at("layers").dtype() == "<i4");
    CHECK(arrays.at("heads").to_ints() == std::vector<std::int64_t>{5});
    CHECK(arrays.at("tokens").shape() == Shape{1, 2});
    CHECK(arrays.at("tokens").to_strings() == dump.tokens[0]);
    CHECK(arrays.at("offsets").shape() == Shape{1, 2, 2});
    CHECK(arrays.at("meta").shape().empty());
    const auto meta = nlohmann::json::parse(arrays.at("meta").to_strings().at(0));
    CHECK(meta.at("format") == "attention-to-bert.attention");
    CHECK(meta.at("version") == 1);
    CHECK(meta.at("minor") == 0);
    CHECK(meta.at("normalised_over") == "source");
    CHECK(meta.at("mask") == "none");
    CHECK(meta.at("text") == nlohmann::json{"猫 a,\"b", nullptr});
    CHECK(meta.at("model").at("class") == "BertModel");
    CHECK(meta.at("model").at("config").is_null());
    CHECK(meta.at("sentence_b_start") == nlohmann::json::parse("[null]"));
    CHECK(meta.at("special") == nlohmann::json::object());
    CHECK(meta.at("axes").at("offsets") == nlohmann::json{"batch", "target", "begin_end"});
    CHECK(meta.at("axes").at("input_ids") == nlohmann::json{"batch", "target"});
    CHECK(meta.at("axes").at("attentions") ==
          nlohmann::json{"layer", "batch", "head", "target", "source"});
}

TEST_CASE("attention_json: the same keys and six significant digits", "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.attentions(0, 0, 0, 1, 0) = static_cast<Real>(1.0 / 3.0);
    dump.attentions(0, 0, 0, 1, 1) = static_cast<Real>(2.0 / 3.0);
    dump.second_text = "b";
    dump.token_numbers["input_ids"] = {{1, 2}, {101, 7}};
    const std::string text = bert::attention_json(dump);
    CHECK_THAT(text, ContainsSubstring("\"attentions\":[[[[[1,0],[0.333333,0.666667]]]],"));
    const auto json = nlohmann::json::parse(text);
    CHECK(json.size() == 6);
    CHECK(json.at("attentions").at(1).at(0).at(0).at(1) == nlohmann::json{0.125, 0.875});
    CHECK(json.at("tokens") == nlohmann::json(dump.tokens));
    CHECK(json.at("input_ids") == nlohmann::json::parse("[[101,7]]"));
    CHECK(json.at("layers") == nlohmann::json{3, 7});
    CHECK(json.at("meta").at("text").at(1) == "b");
    CHECK(text == bert::attention_json(dump));
}

TEST_CASE("attention_csv: a line a weight with quoted tokens", "[attention_map]") {
    const AttentionDump dump = small_dump();
    CHECK(bert::attention_csv(dump, 0, 0.6) ==
          "layer,head,target,target_token,source,source_token,weight\r\n"
          "3,5,0,猫,0,猫,1\r\n"
          "3,5,1,\"a,\"\"b\",1,\"a,\"\"b\",0.75\r\n"
          "7,5,1,\"a,\"\"b\",1,\"a,\"\"b\",0.875\r\n");
    const std::string all = bert::attention_csv(dump);
    CHECK(std::count(all.begin(), all.end(), '\n') == 1 + 8);
    CHECK_THROWS_AS(bert::attention_csv(dump, 1), bert::ShapeError);
}

TEST_CASE("attention dump: targets and sources of different length", "[attention_map]") {
    AttentionDump dump;
    dump.attentions = Tensor(Shape{1, 1, 1, 1, 2}, {0.5F, 0.5F});
    dump.layers = {0};
    dump.heads = {0};
    dump.tokens = {{"t"}};
    CHECK_THROWS_AS(bert::validate(dump), bert::ShapeError);
    dump.source_tokens = {{"s", "s2"}};
    dump.keys = Tensor(Shape{1, 1, 1, 2, 4});
    CHECK_NOTHROW(bert::validate(dump));
    CHECK_THAT(bert::attention_csv(dump), ContainsSubstring("0,0,0,t,1,s2,0.5\r\n"));
    const auto json = nlohmann::json::parse(bert::attention_json(dump));
    CHECK(json.at("source_tokens") == nlohmann::json(dump.source_tokens));
    const std::string path = (bert::test::scratch_folder("attention_cross") / "x.npz").string();
    bert::write_attention_npz(path, dump);
    CHECK(bert::read_npz(path).at("source_tokens").to_strings() == dump.source_tokens[0]);
    dump.queries = Tensor(Shape{1, 1, 1, 1, 3});
    CHECK_THROWS_WITH(bert::validate(dump), ContainsSubstring("differ in width"));
    dump.queries.reset();
    dump.tokens = {{"t", "u"}};
    CHECK_THROWS_WITH(bert::validate(dump), ContainsSubstring("tokens: another count"));
}

TEST_CASE("validate: weights that are none are refused", "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.attentions(1, 0, 0, 1, 0) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(bert::validate(dump), bert::NumericError);
    dump.attentions(1, 0, 0, 1, 0) = Real{-0.125};
    CHECK_THROWS_WITH(bert::validate(dump),
                      ContainsSubstring("attentions(1, 0, 0, 1, :): a weight is out of range "
                                        "(found -0.125, expected 0 to 1)"));
    dump.attentions(1, 0, 0, 1, 0) = static_cast<Real>(0.1251);
    CHECK_THROWS_WITH(bert::validate(dump),
                      ContainsSubstring("another sum of weights (found 1.0001, expected 1)"));
    dump.attentions(1, 0, 0, 1, 0) = static_cast<Real>(0.125001);
    CHECK_NOTHROW(bert::validate(dump));
}

TEST_CASE("validate: a row of zeros needs a mask", "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.attentions(0, 0, 0, 0, 0) = Real{0};
    CHECK_THROWS_AS(bert::validate(dump), bert::NumericError);
    dump.mask = AttentionMask::padding;
    CHECK_NOTHROW(bert::validate(dump));
}

TEST_CASE("validate: a causal mask lets no target look behind itself", "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.mask = AttentionMask::causal;
    CHECK_THROWS_WITH(bert::validate(dump), ContainsSubstring("attentions(1, 0, 0, 0, :)"));
    dump.attentions(1, 0, 0, 0, 0) = Real{1};
    dump.attentions(1, 0, 0, 0, 1) = Real{0};
    CHECK_NOTHROW(bert::validate(dump));
    CHECK_THAT(bert::attention_json(dump), ContainsSubstring("\"mask\":\"causal\""));
}

TEST_CASE("validate: shapes that do not fit are refused", "[attention_map]") {
    const auto refused = [](auto spoil) {
        AttentionDump dump = small_dump();
        spoil(dump);
        CHECK_THROWS_AS(bert::validate(dump), bert::ShapeError);
    };
    refused([](AttentionDump& d) { d.attentions = d.attentions.reshaped({2, 2, 2}); });
    refused([](AttentionDump& d) { d.attentions = Tensor(Shape{2, 1, 1, 2, 0}); });
    refused([](AttentionDump& d) { d.layers.pop_back(); });
    refused([](AttentionDump& d) { d.heads.push_back(1); });
    refused([](AttentionDump& d) { d.tokens[0].pop_back(); });
    refused([](AttentionDump& d) { d.tokens.push_back(d.tokens[0]); });
    refused([](AttentionDump& d) { d.source_tokens = {{"one"}}; });
    refused([](AttentionDump& d) { d.scores = Tensor(Shape{2, 1, 1, 2, 3}); });
    refused([](AttentionDump& d) { d.values = Tensor(Shape{2, 1, 1, 3, 4}); });
    refused([](AttentionDump& d) { d.token_numbers["ids"] = {{1, 3}, {1, 2, 3}}; });
    refused([](AttentionDump& d) { d.token_numbers["ids"] = {{1, 2}, {1, 2, 3}}; });
    refused([](AttentionDump& d) { d.token_numbers["ids"] = {{}, {1}}; });
    refused([](AttentionDump& d) { d.token_numbers["input_ids"] = {{1, 2, 1}, {1, 2}}; });
    refused([](AttentionDump& d) { d.token_numbers["offsets"] = {{1, 2}, {1, 2}}; });
    refused([](AttentionDump& d) { d.token_numbers["ids"] = {{2, 2}, {1, 2, 3, 4}}; });
    refused([](AttentionDump& d) { d.keys = Tensor(Shape{2, 1, 1, 3, 4}); });
    refused([](AttentionDump& d) { d.queries = Tensor(Shape{2, 1, 2, 2, 4}); });
    refused([](AttentionDump& d) { d.value_norms = Tensor(Shape{2, 1, 1, 3}); });
    refused([](AttentionDump& d) { d.rollout = Tensor(Shape{2, 2, 2}); });
    refused([](AttentionDump& d) { d.queries = Tensor(Shape{2, 1, 1, 2, 0}); });
    refused([](AttentionDump& d) { d.sentence_b_start = {1, 1}; });
}

TEST_CASE("validate: padding gets no weight", "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.mask = AttentionMask::padding;
    dump.token_numbers["attention_mask"] = {{1, 2}, {1, 0}};
    CHECK_THROWS_WITH(
        bert::validate(dump),
        ContainsSubstring(
            "attentions(0, 0, 0, 1, :): looks at padding (found 0.75 for source 1, expected 0)"));
    CHECK_THROWS_AS(bert::validate(dump), bert::NumericError);
    for (std::size_t r = 0; r < 4; ++r) {
        dump.attentions.mutable_row(r)[0] = 1;
        dump.attentions.mutable_row(r)[1] = 0;
    }
    CHECK_NOTHROW(bert::validate(dump));
    // The mask is that of the targets: it says nothing of other sources.
    dump.attentions.mutable_row(0)[0] = 0;
    dump.attentions.mutable_row(0)[1] = 1;
    CHECK_THROWS_AS(bert::validate(dump), bert::NumericError);
    dump.source_tokens = {{"s", "s2"}};
    CHECK_NOTHROW(bert::validate(dump));
}

TEST_CASE("validate: numbers of tokens and meta data that cannot be are refused",
          "[attention_map]") {
    const auto refused = [](const char* message, auto spoil) {
        AttentionDump dump = small_dump();
        spoil(dump);
        CHECK_THROWS_AS(bert::validate(dump), std::invalid_argument);
        CHECK_THROWS_WITH(bert::validate(dump), ContainsSubstring(message));
    };
    refused("input_ids: number 1 is out of range (found -1, expected 0", [](AttentionDump& d) {
        d.token_numbers["input_ids"] = {{1, 2}, {0, -1}};
    });
    refused("attention_mask: number 0 is out of range (found 2, expected 0 to 1)",
            [](AttentionDump& d) {
                d.token_numbers["attention_mask"] = {{1, 2}, {2, 1}};
            });
    refused("special_tokens_mask", [](AttentionDump& d) {
        d.token_numbers["special_tokens_mask"] = {{1, 2}, {-1, 1}};
    });
    refused("word_ids: number 1 is out of range (found -2, expected -1", [](AttentionDump& d) {
        d.token_numbers["word_ids"] = {{1, 2}, {-1, -2}};
    });
    refused("offsets: pair 1 ends before it begins (found 1, expected 2 or more)",
            [](AttentionDump& d) {
                d.token_numbers["offsets"] = {{1, 2, 2}, {0, 2, 2, 1}};
            });
    refused("model_config: not a JSON object (found array,",
            [](AttentionDump& d) { d.model_config = "[1]"; });
    refused("prediction: not a JSON object", [](AttentionDump& d) { d.prediction = "{\"a\":}"; });
    refused("prediction: not a JSON object (found more than 32 levels",
            [](AttentionDump& d) { d.prediction = "{\"a\":" + std::string(1'000'000, '['); });
    refused("weights_sha256: not a SHA-256",
            [](AttentionDump& d) { d.weights_sha256 = std::string(64, 'A'); });
    refused("weights_sha256: not a SHA-256 (found 63 characters",
            [](AttentionDump& d) { d.weights_sha256 = std::string(63, 'a'); });
    refused("sentence_b_start: no such token (found 3, expected 0 to 2)",
            [](AttentionDump& d) { d.sentence_b_start = {3}; });
    refused("title: not UTF-8", [](AttentionDump& d) { d.title = "\xff"; });
    refused("model: not UTF-8", [](AttentionDump& d) { d.model = "\xff"; });
    refused("second text: not UTF-8", [](AttentionDump& d) { d.second_text = "\xff"; });
    refused("a kind of special token: not UTF-8",
            [](AttentionDump& d) { d.special_tokens["\xff"] = "x"; });
    refused("a name of token numbers: not UTF-8", [](AttentionDump& d) {
        d.token_numbers["\xff"] = {{1, 2}, {1, 2}};
    });
    refused("special token cls: not UTF-8",
            [](AttentionDump& d) { d.special_tokens["cls"] = "\xff"; });
    AttentionDump dump = small_dump();
    dump.value_norms = Tensor(Shape{2, 1, 1, 2});
    dump.value_norms->mutable_data()[1] = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_AS(bert::validate(dump), bert::NumericError);
}

TEST_CASE("attention_csv and attention_json: more numbers than text has room for are refused",
          "[attention_map]") {
    AttentionDump dump;
    dump.attentions = Tensor(Shape{1, 1, 2, 2049, 1024});
    for (std::size_t r = 0; r < dump.attentions.num_rows(); ++r)
        dump.attentions.mutable_row(r)[0] = 1;
    dump.layers = {0};
    dump.heads = {0, 1};
    dump.tokens = {std::vector<std::string>(2049, "t")};
    dump.source_tokens = {std::vector<std::string>(1024, "s")};
    CHECK_THROWS_WITH(bert::attention_json(dump),
                      ContainsSubstring("4196352 numbers (expected at most 4194304)"));
    CHECK_THROWS_WITH(bert::attention_csv(dump),
                      ContainsSubstring("4196352 weights (expected at most 4194304)"));
    const std::string ones = bert::attention_csv(dump, 0, 0.5);
    CHECK(std::count(ones.begin(), ones.end(), '\n') == 1 + 2 * 2049);
    CHECK_THROWS_AS(bert::attention_csv(dump, 0, std::nan("")), std::invalid_argument);
}

TEST_CASE("attention_csv: what a spreadsheet would run is marked as text", "[attention_map]") {
    AttentionDump dump = small_dump();
    const auto line_of = [&](const char* token) {
        dump.tokens[0][1] = token;
        return bert::attention_csv(dump, 0, 0.875);  // of token 1 only the last weight
    };
    CHECK_THAT(line_of("=cmd()"), ContainsSubstring("7,5,1,'=cmd(),1,'=cmd(),0.875\r\n"));
    for (const char* token : {"+1", "-1", "@x", "\t1"})
        CHECK_THAT(line_of(token), ContainsSubstring(std::string{"1,'"} + token + ",1,'"));
    CHECK_THAT(line_of("\r="), ContainsSubstring("1,\"'\r=\",1,"));
    // Signs alone, and those within a word, are no formulas.
    for (const char* token : {"=", "-", "+", "@", "##-", "a=1"})
        CHECK_THAT(line_of(token), ContainsSubstring(std::string{"1,"} + token + ",1,"));
}

TEST_CASE("validate: text that is not UTF-8 and taken keys are refused", "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.tokens[0][1] = "\xff";
    CHECK_THROWS_AS(bert::attention_json(dump), std::invalid_argument);
    dump = small_dump();
    dump.text = "\xc3";
    CHECK_THROWS_AS(bert::attention_json(dump), std::invalid_argument);
    dump = small_dump();
    dump.token_numbers["meta"] = {{1, 2}, {1, 2}};
    CHECK_THROWS_WITH(bert::validate(dump), ContainsSubstring("named meta"));
}

TEST_CASE("attention_heatmap: one head from zero to its greatest weight", "[attention_map]") {
    const AttentionDump dump = small_dump();
    const bert::Heatmap heatmap = bert::attention_heatmap(dump, 1, 0, 0);
    CHECK(heatmap.values == Tensor{{0.5, 0.5}, {0.125, 0.875}});
    CHECK(heatmap.title == "Example: layer 7, head 5");
    CHECK(heatmap.range == std::pair{0.0, 0.875});
    CHECK(heatmap.row_names == dump.tokens[0]);
    CHECK_THROWS_AS(bert::attention_heatmap(dump, 2, 0, 0), bert::ShapeError);
    CHECK_THROWS_AS(bert::attention_heatmap(dump, 0, 1, 0), bert::ShapeError);
    CHECK_THROWS_AS(bert::attention_heatmap(dump, 0, 0, 1), bert::ShapeError);
}

TEST_CASE("attention_csv and attention_heatmap: take the sequence and head that are asked for",
          "[attention_map]") {
    // Weight of source 0 is 0.1 for the first map and 0.1 more for each next one.
    AttentionDump dump;
    dump.attentions = Tensor(Shape{2, 2, 2, 1, 2});
    for (std::size_t map = 0; map < 8; ++map) {
        dump.attentions.mutable_row(map)[0] = static_cast<Real>(0.1 * static_cast<double>(map + 1));
        dump.attentions.mutable_row(map)[1] = 1 - dump.attentions.mutable_row(map)[0];
    }
    dump.layers = {0, 1};
    dump.heads = {0, 1};
    dump.tokens = {{"t"}, {"u"}};
    dump.source_tokens = {{"a", "b"}, {"c", "d"}};
    for (std::size_t layer = 0; layer < 2; ++layer) {
        for (std::size_t sequence = 0; sequence < 2; ++sequence) {
            for (std::size_t head = 0; head < 2; ++head) {
                const auto map = bert::attention_heatmap(dump, layer, sequence, head);
                const std::size_t number = (layer * 2 + sequence) * 2 + head;
                CHECK(map.values(0, 0) == dump.attentions.row(number)[0]);
                CHECK(map.column_names == dump.source_tokens[sequence]);
            }
        }
    }
    const std::string second = bert::attention_csv(dump, 1);
    CHECK_THAT(second, ContainsSubstring("0,0,0,u,0,c,0.3"));
    CHECK_THAT(second, ContainsSubstring("1,1,0,u,0,c,0.8"));
    CHECK(second.find("0,0,0,t,") == std::string::npos);
    CHECK_THROWS_AS(bert::attention_csv(dump, 2), bert::ShapeError);
    CHECK_THROWS_AS(bert::attention_heatmap(dump, 0, 2, 0), bert::ShapeError);
    CHECK_THROWS_AS(bert::attention_heatmap(dump, 0, 0, 2), bert::ShapeError);
}

TEST_CASE("validate: a sum of weights that is off by more than 1e-5 is refused",
          "[attention_map]") {
    AttentionDump dump = small_dump();
    dump.attentions(0, 0, 0, 1, 0) = static_cast<Real>(0.25 + 3e-5);
    CHECK_THROWS_AS(bert::validate(dump), bert::NumericError);
    dump.attentions(0, 0, 0, 1, 0) = static_cast<Real>(0.25 + 5e-6);
    CHECK_NOTHROW(bert::validate(dump));
}
