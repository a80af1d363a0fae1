// bert encode: its arrays against the library's own run, and what it refuses.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "common/io/npz.hpp"
#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/sanitized.hpp"

using namespace bert;
using namespace bert::test;

namespace {

Tensor array(const std::map<std::string, NpyArray>& arrays, const std::string& name) {
    return arrays.at(name).to_tensor();
}

// The file holds single precision.
constexpr double tolerance = 2e-6;

}  // namespace

TEST_CASE("bert encode: all arrays equal the library's", "[bert]") {
    const auto folder = tiny_model("bert-encode");
    const Outcome outcome = bert_in(
        folder, "encode",
        "--out o.npz --hidden-states --attentions --logits 'the cat' \"$(printf 'a dog\\tran')\"");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.out.empty());
    const auto arrays = read_npz((folder / "o.npz").string());
    CHECK(arrays.size() == 9);
    const std::vector<std::int64_t> ids{2, 5, 6, 3, 0, 0, 2, 11, 12, 3, 13, 3};
    CHECK(arrays.at("input_ids").dtype() == "<i8");
    CHECK(arrays.at("input_ids").to_ints() == ids);
    CHECK(arrays.at("token_type_ids").to_ints() ==
          std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
    CHECK(arrays.at("attention_mask").to_ints() ==
          std::vector<std::int64_t>{1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1});

    BertInput input = input_of_ids(ids, 2);
    input.token_type_ids = arrays.at("token_type_ids").to_ints();
    input.attention_mask(0, 4) = input.attention_mask(0, 5) = 0;
    const PretrainedBert model = PretrainedBert::load(folder.string());
    const BertOutput output = model(input, {.hidden_states = true, .attentions = true});
    CHECK(arrays.at("last_hidden_state").dtype() == "<f4");
    CHECK(array(arrays, "last_hidden_state").shape() == Shape{2, 6, 32});
    CHECK(max_error(array(arrays, "last_hidden_state"), output.last_hidden_state) <= tolerance);
    CHECK(max_error(array(arrays, "pooler_output"), *output.pooler_output) <= tolerance);
    CHECK(array(arrays, "hidden_states").shape() == Shape{3, 2, 6, 32});
    CHECK(array(arrays, "attentions").shape() == Shape{2, 2, 4, 6, 6});
    const Tensor states = array(arrays, "hidden_states");
    const Tensor maps = array(arrays, "attentions");
    for (std::size_t i = 0; i < output.attentions[1].size(); ++i) {
        CHECK(std::abs(static_cast<double>(maps.data()[output.attentions[0].size() + i] -
                                           output.attentions[1].data()[i])) <= tolerance);
    }
    for (std::size_t i = 0; i < output.hidden_states[2].size(); ++i) {
        CHECK(std::abs(static_cast<double>(states.data()[2 * output.hidden_states[0].size() + i] -
                                           output.hidden_states[2].data()[i])) <= tolerance);
    }
    CHECK(max_error(array(arrays, "prediction_logits"),
                    model.bert().prediction_logits(output.last_hidden_state)) <= 10 * tolerance);
    CHECK(max_error(array(arrays, "seq_relationship_logits"),
                    model.bert().seq_relationship_logits(*output.pooler_output)) <= tolerance);
}

TEST_CASE("bert encode: many texts in parts give what they give alone", "[bert]") {
    const auto folder = tiny_model("bert-parts");
    std::string lines;
    for (int i = 0; i < 2000; ++i)
        lines += i % 7 == 0 ? "time flies like an arrow\n" : "the cat sat on the mat .\n";
    write(folder / "lines.txt", lines);
    REQUIRE(bert_in(folder, "encode", "--out all.npz --text-file lines.txt").code == 0);
    REQUIRE(bert_in(folder, "encode",
                    "--out one.npz 'time flies like an arrow' "
                    "'the cat sat on the mat .'")
                .code == 0);
    const Tensor all = array(read_npz((folder / "all.npz").string()), "last_hidden_state");
    const Tensor one = array(read_npz((folder / "one.npz").string()), "last_hidden_state");
    REQUIRE(all.shape() == Shape{2000, 9, 32});
    double largest = 0;
    for (std::size_t b = 0; b < 2000; ++b) {
        for (std::size_t i = 0; i < 9 * 32; ++i) {
            const std::size_t other = b % 7 == 0 ? 0 : 1;
            largest =
                std::max(largest, std::abs(static_cast<double>(all.data()[b * 9 * 32 + i] -
                                                               one.data()[other * 9 * 32 + i])));
        }
    }
    CHECK(largest <= 1e-5);  // seen: 0 to 1e-6, as products of other heights round otherwise
}

TEST_CASE("bert encode: --input takes ids and needs no vocabulary", "[bert]") {
    const auto folder = tiny_model("bert-input", {.predictions = false});
    REQUIRE(bert_in(folder, "encode", "--out text.npz 'the cat' --pair 'a dog'").code == 0);
    std::filesystem::remove(folder / "vocab.txt");
    REQUIRE(bert_in(folder, "encode", "--out ids.npz --input text.npz --logits").code == 0);
    const auto text = read_npz((folder / "text.npz").string());
    const auto ids = read_npz((folder / "ids.npz").string());
    CHECK(array(text, "last_hidden_state") == array(ids, "last_hidden_state"));
    CHECK(ids.contains("seq_relationship_logits"));
    CHECK_FALSE(ids.contains("prediction_logits"));

    NpzWriter padded;
    padded.add_ints("input_ids", {2, 4}, std::vector<std::int64_t>{2, 5, 6, 3, 2, 11, 3, 0});
    padded.add_ints("attention_mask", {2, 4}, std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 0});
    padded.write((folder / "padded.npz").string());
    REQUIRE(bert_in(folder, "encode", "--out o.npz --input padded.npz").code == 0);
    BertInput input = input_of_ids({2, 5, 6, 3, 2, 11, 3, 0}, 2);
    input.attention_mask(1, 3) = 0;
    const PretrainedBert model{load_bert(folder.string())};
    CHECK(max_error(array(read_npz((folder / "o.npz").string()), "last_hidden_state"),
                    model(input).last_hidden_state) <= tolerance);

    NpzWriter bare;
    bare.add_ints("input_ids", {1, 3}, std::vector<std::int32_t>{2, 5, 3});
    bare.write((folder / "bare.npz").string());
    REQUIRE(bert_in(folder, "encode", "--out o.npz --input bare.npz").code == 0);
    CHECK(read_npz((folder / "o.npz").string()).at("attention_mask").to_ints() ==
          std::vector<std::int64_t>{1, 1, 1});
}

TEST_CASE("bert encode: --input - takes standard input from a file or a pipe", "[bert]") {
    const auto folder = tiny_model("bert-input-pipe");
    NpzWriter writer;
    writer.add_ints("input_ids", {1, 3}, std::vector<std::int32_t>{2, 5, 3});
    writer.write((folder / "ids.npz").string());
    REQUIRE(bert_in(folder, "encode", "--out file.npz --input ids.npz").code == 0);
    REQUIRE(bert_in(folder, "encode", "--out standard.npz --input - < ids.npz").code == 0);
    REQUIRE(shell("cd '" + folder.string() + "'; cat ids.npz | '" + BERT_BINARY_DIR +
                  "/bert' encode --model . --out pipe.npz --input -")
                .code == 0);
    CHECK(content(folder / "standard.npz") == content(folder / "file.npz"));
    CHECK(content(folder / "pipe.npz") == content(folder / "file.npz"));
    check_refused(bert_in(folder, "encode", "--out o.npz --input - < /dev/null"), 3, "/dev/stdin");
    check_refused(bert_in(folder, "encode", "--out o.npz --input - < ."), 4, "/dev/stdin");
    CHECK(bert_in(folder, "encode", "--out o.npz --input - <&-").code != 0);
}

TEST_CASE("bert encode: arrays of --input that do not fit are refused with their place", "[bert]") {
    const auto folder = tiny_model("bert-bad-input");
    const auto refused = [&](const NpzWriter& arrays, const std::string& message) {
        arrays.write((folder / "in.npz").string());
        check_refused(bert_in(folder, "encode", "--out o.npz --input in.npz"), 3, message);
        CHECK_FALSE(std::filesystem::exists(folder / "o.npz"));
    };
    using Ints = std::vector<std::int64_t>;
    NpzWriter none;
    none.add_ints("ids", {1, 1}, Ints{2});
    refused(none, "input_ids: the array is missing");
    NpzWriter high;
    high.add_ints("input_ids", {2, 2}, Ints{2, 3, 4, 24});
    refused(high, "input_ids[1][1]: a number out of range (found 24, expected 0 to 23)");
    NpzWriter negative;
    negative.add_ints("input_ids", {1, 2}, Ints{2, -1});
    refused(negative, "input_ids[0][1]");
    NpzWriter flat;
    flat.add_ints("input_ids", {2}, Ints{2, 3});
    refused(flat, "another shape");
    NpzWriter empty;
    empty.add_ints("input_ids", {0, 4}, Ints{});
    refused(empty, "another shape");
    NpzWriter fraction;
    fraction.add("input_ids", Tensor{{2, 3}});
    refused(fraction, "input_ids");
    NpzWriter types;
    types.add_ints("input_ids", {1, 2}, Ints{2, 3});
    types.add_ints("token_type_ids", {1, 2}, Ints{0, 2});
    refused(types, "token_type_ids[0][1]");
    NpzWriter mask;
    mask.add_ints("input_ids", {1, 2}, Ints{2, 3});
    mask.add_ints("attention_mask", {2, 1}, Ints{1, 1});
    refused(mask, "attention_mask: another shape than input_ids");
    NpzWriter long_one;
    long_one.add_ints("input_ids", {1, 17}, Ints(17, 2));
    refused(long_one, "found 17 tokens, expected at most its 16 positions");
}

TEST_CASE("bert encode: texts and paths that do not fit are refused before any work", "[bert]") {
    const auto folder = tiny_model("bert-encode-refusals");
    const std::string long_text = "'a a a a a a a a a a a a a a a a a'";
    check_refused(bert_in(folder, "encode", "--out o.npz a " + long_text), 2,
                  "text 2: too long for the model (found 19 tokens, expected at most its 16");
    check_refused(
        bert_in(folder, "encode", "--out o.npz --max-length 18 --truncation none " + long_text), 2,
        "");
    check_refused(bert_in(folder, "encode", "--out o.npz --max-length 20 " + long_text), 2,
                  "at most its 16 positions; --max-length 16 cuts it");
    CHECK(bert_in(folder, "encode", "--out o.npz --truncation longest_first a " + long_text).code ==
          0);
    CHECK(read_npz((folder / "o.npz").string()).at("input_ids").shape() == Shape{2, 16});
    CHECK(bert_in(folder, "encode", "--out o.npz --max-length 5 " + long_text).code == 0);
    CHECK(read_npz((folder / "o.npz").string()).at("input_ids").shape() == Shape{1, 5});
    check_refused(bert_in(folder, "encode", "a"), 2, "--out FILE.npz is missing");
    check_refused(bert_in(folder, "encode", "a --out no/o.npz"), 2, "there is no folder no");
    check_refused(bert_in(folder, "encode", "a --out ."), 2, "is a folder");
    check_refused(bert_in(folder, "encode", "a --out model.safetensors"), 2, "is the input");
    check_refused(bert_in(folder, "encode", "--input o.npz --out o.npz"), 2, "is the input");
    write(folder / "model-00001-of-00002.safetensors", "a part");
    check_refused(bert_in(folder, "encode", "a --out model-00001-of-00002.safetensors"), 2,
                  "is the input");
    CHECK(content(folder / "model-00001-of-00002.safetensors") == "a part");
    std::filesystem::remove(folder / "model-00001-of-00002.safetensors");
    check_refused(bert_in(folder, "encode", "a --input o.npz --out p.npz"), 2, "without texts");
    check_refused(bert_in(folder, "encode", "--out p.npz < /dev/null"), 3, "no text");
    check_refused(bert_in(folder, "encode", "a --out /dev/full"), 4, "/dev/full");
    check_refused(bert_in(folder, "encode", "a --out p.txt"), 2, "write p.txt.npz");
    check_refused(bert_in(folder, "encode", "a --out p"), 2, "write p.npz");
    CHECK_FALSE(std::filesystem::exists(folder / "p.npz"));
}

TEST_CASE("bert encode: a result larger than the memory is refused beforehand", "[bert]") {
    if constexpr (sanitized) return;  // it needs a limit on addresses
    const auto folder = tiny_model("bert-memory");
    std::string lines;
    for (int i = 0; i < 3000; ++i)
        lines += "a a a a a a a a a a a a a a\n";
    write(folder / "lines.txt", lines);
    // 3000 x 16 tokens: 2 x 4 x 16 weights each are 25 MB, of 24 MB.
    const Outcome outcome = shell("ulimit -v 400000; cd '" + folder.string() +
                                  "' && OMP_NUM_THREADS=1 '" + BERT_BINARY_DIR +
                                  "/bert' encode --model . --out o.npz --attentions "
                                  "--hidden-states --logits --text-file lines.txt");
    CHECK(outcome.code == 0);
    const Outcome too_large =
        shell("ulimit -v 400000; cd '" + folder.string() +
              "' && for i in 1 2 3 4 5 6 7 8 9 10; do "
              "cat lines.txt lines.txt lines.txt lines.txt; done > many.txt; OMP_NUM_THREADS=1 '" +
              BERT_BINARY_DIR +
              "/bert' encode --model . --out p.npz --attentions "
              "--hidden-states --logits --text-file many.txt");
    check_refused(too_large, 4, "needs");
    CHECK_FALSE(std::filesystem::exists(folder / "p.npz"));
}

TEST_CASE("bert encode: numbers that are not finite are exit code 5", "[bert]") {
    const auto folder = tiny_model("bert-nan");
    Bert broken = load_bert(folder.string());
    broken.model.encoder.layers[1].feed_forward.inner.weight(3, 4) =
        std::numeric_limits<Real>::quiet_NaN();
    save_bert(folder.string(), broken);
    check_refused(bert_in(folder, "encode", "a --out o.npz"), 5, "layer");
    check_refused(bert_in(folder, "embed", "a"), 5, "layer");
    CHECK_FALSE(std::filesystem::exists(folder / "o.npz"));
    check_refused(bert_in(folder, "inspect", "--check"), 5,
                  "bert.encoder.layer.1.intermediate.dense.weight: 1 of 2048 numbers");
    if constexpr (sizeof(Real) > sizeof(float)) return;  // there nothing overflows
    for (Tensor* weight : {&broken.model.encoder.layers[1].feed_forward.inner.weight,
                           &broken.model.encoder.layers[1].feed_forward.outer.weight})
        for (Real& number : std::span{weight->mutable_data(), weight->size()})
            number = Real(1e30);
    save_bert(folder.string(), broken);
    CHECK(bert_in(folder, "encode", "a --out o.npz").err.starts_with("error: .: encoder layer 1"));
}
