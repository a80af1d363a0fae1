#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/attention_map/attention_dump.hpp"
#include "common/io/file_error.hpp"
#include "common/io/npz.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using Json = nlohmann::json;

namespace {

std::string scratch(const std::string& name) {
    static const auto folder = test::scratch_folder("attention_reader");
    return (folder / name).string();
}

// Everything that a dump can hold.
AttentionDump full_dump() {
    AttentionDump dump;
    dump.attentions = Tensor(Shape{1, 2, 1, 2, 2}, {1, 0, 0.25, 0.75, 1, 0, 1, 0});
    dump.layers = {3};
    dump.heads = {5};
    dump.tokens = {{"[CLS]", "猫"}, {"=1", "[PAD]"}};
    dump.mask = AttentionMask::padding;
    dump.scores = Tensor(Shape{1, 2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    dump.queries = Tensor(Shape{1, 2, 1, 2, 3});
    dump.keys = Tensor(Shape{1, 2, 1, 2, 3});
    dump.values = Tensor(Shape{1, 2, 1, 2, 4});
    dump.value_norms = Tensor(Shape{1, 2, 1, 2}, {1, 2, 3, 4});
    dump.rollout = Tensor(Shape{2, 2, 2}, {1, 0, 0.5, 0.5, 1, 0, 0.25, 0.75});
    dump.token_numbers["input_ids"] = {{2, 2}, {101, 7, 8, 0}};
    dump.token_numbers["token_type_ids"] = {{2, 2}, {0, 1, 0, 0}};
    dump.token_numbers["attention_mask"] = {{2, 2}, {1, 1, 1, 0}};
    dump.token_numbers["special_tokens_mask"] = {{2, 2}, {1, 0, 0, 1}};
    dump.token_numbers["word_ids"] = {{2, 2}, {-1, 0, 0, -1}};
    dump.token_numbers["offsets"] = {{2, 2, 2}, {0, 0, 0, 1, 0, 2, 0, 0}};
    dump.title = "Title";
    dump.model = "BertModel";
    dump.model_config = R"({"hidden_size":8,"nested":{"a":[1,2]}})";
    dump.weights_sha256 = std::string(63, '0') + "a";
    dump.text = "猫";
    dump.second_text = "=1";
    dump.sentence_b_start = {1, {}};
    dump.special_tokens = {{"cls", "[CLS]"}, {"pad", "[PAD]"}};
    dump.prediction = R"({"label":"x"})";
    return dump;
}

void check_equal(const AttentionDump& a, const AttentionDump& b) {
    CHECK(a.attentions == b.attentions);
    CHECK(a.layers == b.layers);
    CHECK(a.heads == b.heads);
    CHECK(a.tokens == b.tokens);
    CHECK(a.source_tokens == b.source_tokens);
    CHECK(a.mask == b.mask);
    CHECK(a.scores == b.scores);
    CHECK(a.queries == b.queries);
    CHECK(a.keys == b.keys);
    CHECK(a.values == b.values);
    CHECK(a.value_norms == b.value_norms);
    CHECK(a.rollout == b.rollout);
    CHECK(a.title == b.title);
    CHECK(a.model == b.model);
    CHECK(a.model_config == b.model_config);
    CHECK(a.weights_sha256 == b.weights_sha256);
    CHECK(a.text == b.text);
    CHECK(a.second_text == b.second_text);
    CHECK(a.sentence_b_start == b.sentence_b_start);
    CHECK(a.special_tokens == b.special_tokens);
    CHECK(a.prediction == b.prediction);
    REQUIRE(a.token_numbers.size() == b.token_numbers.size());
    for (const auto& [name, numbers] : a.token_numbers) {
        CHECK(numbers.shape == b.token_numbers.at(name).shape);
        CHECK(numbers.values == b.token_numbers.at(name).values);
    }
}

// The arrays of a small dump, for files that the writer would refuse to write.
struct Parts {
    Tensor attentions{Shape{1, 1, 2, 2, 2}, {1, 0, 0.25, 0.75, 0.5, 0.5, 0, 1}};
    std::vector<std::int32_t> layers{0};
    std::vector<std::int32_t> heads{0, 1};
    Shape token_shape{1, 2};
    std::vector<std::string> tokens{"a", "b"};
    Json meta = Json::parse(R"({"format":"attention-to-bert.attention","version":1,"minor":0,
                                "normalised_over":"source","mask":"none"})");
    std::string meta_text;  // in place of meta
    std::string left_out;
    std::function<void(NpzWriter&)> more = [](NpzWriter&) {};

    std::string write(const std::string& name) const {
        NpzWriter file;
        if (left_out != "attentions") file.add("attentions", attentions);
        const Shape layer_shape{layers.size()};
        if (left_out != "layers") file.add_ints("layers", layer_shape, layers);
        if (left_out != "heads") file.add_ints("heads", {heads.size()}, heads);
        if (left_out != "tokens") file.add_strings("tokens", token_shape, tokens);
        const std::string text = meta_text.empty() ? meta.dump() : meta_text;
        if (left_out != "meta") file.add_strings("meta", {}, {text});
        more(file);
        file.write(scratch(name));
        return scratch(name);
    }
};

std::string error_of(const Parts& parts) {
    const std::string path = parts.write("bad.npz");
    try {
        read_attention_npz(path);
    } catch (const FileError& error) {
        const std::string message = error.what();
        REQUIRE(message.substr(0, path.size() + 2) == path + ": ");
        return message.substr(path.size() + 2);
    }
    return "nothing thrown";
}

std::string meta_error(const std::string& key, const Json& value) {
    Parts parts;
    parts.meta[Json::json_pointer{key}] = value;
    return error_of(parts);
}

}  // namespace

TEST_CASE("read_attention_npz: gives back what was written", "[attention_map]") {
    const AttentionDump dump = full_dump();
    write_attention_npz(scratch("full.npz"), dump);
    const AttentionDump read = read_attention_npz(scratch("full.npz"));
    check_equal(read, dump);
    write_attention_npz(scratch("again.npz"), read);
    CHECK(test::content(scratch("again.npz")) == test::content(scratch("full.npz")));
    AttentionDump cross;
    cross.attentions = Tensor(Shape{1, 1, 1, 1, 2}, {0.5, 0.5});
    cross.layers = {0};
    cross.heads = {0};
    cross.tokens = {{"t"}};
    cross.source_tokens = {{"s", "s2"}};
    cross.mask = AttentionMask::causal;
    write_attention_npz(scratch("cross.npz"), cross);
    check_equal(read_attention_npz(scratch("cross.npz")), cross);
}

TEST_CASE("write_attention_npz: half precision keeps three digits", "[attention_map]") {
    AttentionDump dump = full_dump();
    const auto third = static_cast<Real>(1.0 / 3.0);
    dump.attentions(0, 0, 0, 1, 0) = third;
    dump.attentions(0, 0, 0, 1, 1) = 1 - third;
    write_attention_npz(scratch("half.npz"), dump, NpyFloat::f2);
    const auto arrays = read_npz(scratch("half.npz"));
    CHECK(arrays.at("attentions").dtype() == "<f2");
    CHECK(arrays.at("scores").dtype() == "<f2");
    CHECK(arrays.at("input_ids").dtype() == "<i4");
    const AttentionDump read = read_attention_npz(scratch("half.npz"));
    // Half an ulp of halfs in [0.5, 1]: 2.4e-4.
    CHECK(test::max_error(read.attentions, dump.attentions) <= 2.5e-4);
    CHECK(test::max_error(read.attentions, dump.attentions) > 0);
}

TEST_CASE("read_attention_npz: a file of numpy with keys of a later version", "[attention_map]") {
    const std::string path = std::string{BERT_SOURCE_DIR} + "/data/golden/attention_maps_dump.npz";
    const AttentionDump dump = read_attention_npz(path);
    CHECK(dump.attentions.shape() == Shape{3, 1, 4, 7, 7});
    CHECK(dump.layers == std::vector<std::int32_t>{0, 4, 9});
    CHECK(dump.heads == std::vector<std::int32_t>{0, 1, 2, 3});
    CHECK(dump.tokens[0] ==
          std::vector<std::string>{"[CLS]", "na", "##ïve", "caf", "##é", "猫", "[SEP]"});
    CHECK(dump.token_numbers.at("word_ids").values ==
          std::vector<std::int32_t>{-1, 0, 0, 1, 1, 2, -1});
    CHECK(dump.token_numbers.size() == 3);
    CHECK(dump.text == "naïve café");
    CHECK(dump.model == "Random");
    CHECK(Json::parse(dump.model_config) == Json{{"layers", 3}});
    CHECK(dump.special_tokens.at("sep") == "[SEP]");
    CHECK(dump.mask == AttentionMask::padding);
}

TEST_CASE("read_attention_npz: another format and version are refused", "[attention_map]") {
    CHECK(meta_error("/version", 2) == "meta.version: another value (found \"2\", expected 1)");
    CHECK_THAT(meta_error("/version", 1.5), ContainsSubstring("meta.version"));
    CHECK_THAT(meta_error("/version", "1"), ContainsSubstring("meta.version"));
    CHECK_THAT(meta_error("/version", nullptr), ContainsSubstring("meta.version"));
    CHECK_THAT(meta_error("/format", "another"), ContainsSubstring("meta.format"));
    CHECK_THAT(meta_error("/format", 3), ContainsSubstring("meta.format"));
    CHECK(meta_error("/minor", 99) == "nothing thrown");
    CHECK(meta_error("/unknown", {1, 2}) == "nothing thrown");
}

TEST_CASE("read_attention_npz: meta data of another kind are refused by their key",
          "[attention_map]") {
    const std::vector<std::pair<std::string, Json>> cases{
        {"/mask", "other"},
        {"/mask", 1},
        {"/normalised_over", "target"},
        {"/title", 1},
        {"/model", "x"},
        {"/model/class", 1},
        {"/model/config", {1}},
        {"/model/weights_sha256", false},
        {"/text", "x"},
        {"/text", {"a"}},
        {"/text", {nullptr, "b"}},
        {"/text", {"a", 2}},
        {"/sentence_b_start", 1},
        {"/sentence_b_start", Json::parse("[-1]")},
        {"/sentence_b_start", Json::parse("[1.5]")},
        {"/sentence_b_start", Json::parse("[99999999999]")},
        {"/special", Json::parse("[\"[CLS]\"]")},
        {"/special/cls", 101},
        {"/prediction", "x"}};
    for (const auto& [key, value] : cases) {
        std::string dotted = "meta" + key;
        std::replace(dotted.begin(), dotted.end(), '/', '.');
        const std::string error = meta_error(key, value);
        INFO(key << " " << value.dump() << ": " << error);
        CHECK(error.substr(0, dotted.size() + 2) == dotted + ": ");
    }
    CHECK(meta_error("/special/cls", "a\x1b[31m") == "nothing thrown");
    CHECK(meta_error("/model/weights_sha256", "a").substr(0, 15) == "weights_sha256:");
    CHECK(meta_error("/sentence_b_start", Json::parse("[1,2]")).substr(0, 17) ==
          "sentence_b_start:");
}

TEST_CASE("read_attention_npz: meta data that are no JSON are refused in one line",
          "[attention_map]") {
    for (const std::string& text :
         {std::string{"{"}, std::string{"{\"a\":NaN}"}, std::string{"{\"a\":1e999}"},
          std::string(1'000'000, '['), "{\"a\":" + std::string(1'000'000, '[') + "}",
          std::string{"{\"a\":\"\x1b[31m\n}"}}) {
        Parts parts;
        parts.meta_text = text;
        const std::string error = error_of(parts);
        CHECK(error.substr(0, 15) == "meta: not JSON ");
        CHECK(error.size() < 200);
        CHECK(error.find('\n') == std::string::npos);
        CHECK(error.find('\x1b') == std::string::npos);
    }
    Parts parts;
    parts.meta_text = "[1]";
    CHECK_THAT(error_of(parts), ContainsSubstring("meta: another value"));
}

TEST_CASE("read_attention_npz: arrays that are missing or of another kind are refused",
          "[attention_map]") {
    for (const char* name : {"attentions", "layers", "heads", "tokens", "meta"}) {
        Parts parts;
        parts.left_out = name;
        CHECK(error_of(parts).substr(0, 22) ==
              (std::string{"entry "} + name + ".npy: missing").substr(0, 22));
    }
    const auto with = [](const std::string& left_out, std::function<void(NpzWriter&)> more) {
        Parts parts;
        parts.left_out = left_out;
        parts.more = std::move(more);
        return error_of(parts);
    };
    using Ints = std::vector<std::int32_t>;
    CHECK_THAT(with("attentions",
                    [](NpzWriter& w) {
                        w.add_ints("attentions", {1, 1, 2, 1, 2}, Ints{1, 0, 0, 1});
                    }),
               ContainsSubstring("entry attentions.npy: another type (found <i4"));
    CHECK_THAT(with("layers",
                    [](NpzWriter& w) {
                        w.add_ints("layers", {1, 1}, Ints{0});
                    }),
               ContainsSubstring("another number of dimensions (found (1, 1)"));
    CHECK_THAT(with("layers", [](NpzWriter& w) { w.add("layers", Tensor{0}); }),
               ContainsSubstring("entry layers.npy"));
    CHECK_THAT(
        with("heads",
             [](NpzWriter& w) {
                 w.add_ints("heads", {2}, std::vector<std::int64_t>{0, std::int64_t{1} << 31});
             }),
        ContainsSubstring("a number is out of range (found 2147483648, expected 32 bits)"));
    CHECK_THAT(with("tokens",
                    [](NpzWriter& w) {
                        w.add_ints("tokens", {1, 2}, Ints{1, 2});
                    }),
               ContainsSubstring("not strings"));
    CHECK_THAT(with("tokens",
                    [](NpzWriter& w) {
                        w.add_strings("tokens", {2}, {"a", "b"});
                    }),
               ContainsSubstring("another number of dimensions"));
    CHECK_THAT(with("meta", [](NpzWriter& w) { w.add_strings("meta", {1}, {"{}"}); }),
               ContainsSubstring("entry meta.npy: another number of dimensions"));
    CHECK_THAT(with("", [](NpzWriter& w) { w.add_strings("scores", {1}, {"x"}); }),
               ContainsSubstring("entry scores.npy: another type"));
    CHECK_THAT(with("",
                    [](NpzWriter& w) {
                        w.add_ints("offsets", {1, 2}, Ints{0, 1});
                    }),
               ContainsSubstring("offsets: does not fit attentions (found (1, 2)"));
    CHECK_THROWS_AS(read_attention_npz(scratch("missing.npz")), IoError);
}

TEST_CASE("read_attention_npz: weights and lengths that cannot be are refused by their place",
          "[attention_map]") {
    const auto weight = [](double value) {
        Parts parts;
        parts.attentions(0, 0, 1, 0, 0) = static_cast<Real>(value);
        return error_of(parts);
    };
    CHECK_THAT(weight(std::nan("")), ContainsSubstring("attentions(0, 0, 1, 0, :): a weight is out "
                                                       "of range (found nan, expected 0 to 1)"));
    CHECK_THAT(weight(-0.5), ContainsSubstring("found -0.5, expected 0 to 1"));
    CHECK_THAT(weight(1.5), ContainsSubstring("found 1.5, expected 0 to 1"));
    CHECK_THAT(weight(0.75), ContainsSubstring("another sum of weights (found 1.25, expected 1)"));
    CHECK(weight(0.5) == "nothing thrown");
    Parts parts;
    parts.heads = {0, 1, 2};
    CHECK_THAT(error_of(parts), ContainsSubstring("heads: another count than attentions"));
    parts = Parts{};
    parts.layers = {};
    CHECK_THAT(error_of(parts), ContainsSubstring("layers: another count than attentions"));
    parts = Parts{};
    parts.tokens = {"a", "b", "c"};
    parts.token_shape = {1, 3};
    CHECK_THAT(error_of(parts), ContainsSubstring("tokens: another count than attentions"));
    parts = Parts{};
    parts.token_shape = {2, 1};
    CHECK_THAT(error_of(parts), ContainsSubstring("sequences of tokens: another count"));
    parts = Parts{};
    parts.attentions = parts.attentions.reshaped({2, 2, 2});
    CHECK_THAT(error_of(parts), ContainsSubstring("attentions: another shape (found (2, 2, 2)"));
    parts = Parts{};
    parts.attentions = Tensor(Shape{1, 1, 2, 2, 0});
    CHECK_THAT(error_of(parts), ContainsSubstring("attentions: empty"));
}
