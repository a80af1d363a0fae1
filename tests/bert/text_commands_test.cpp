// bert embed, fill-mask and next-sentence against the library's own run.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch14_bert/bert.hpp"
#include "ch14_bert/checkpoint.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/parameters.hpp"
#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;
using Json = nlohmann::json;

namespace {

std::vector<double> numbers_of(const std::string& line) {
    std::istringstream text{line};
    std::vector<double> numbers;
    for (double x = 0; text >> x;)
        numbers.push_back(x);
    return numbers;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

double length(const std::vector<double>& x) {
    double squares = 0;
    for (const double number : x)
        squares += number * number;
    return std::sqrt(squares);
}

// Batches of other sizes round otherwise; the largest seen is 6e-7.
constexpr double tolerance = 3e-6;

}  // namespace

TEST_CASE("bert embed: mean cls and pooler are those of the library", "[bert]") {
    const auto folder = tiny_model("bert-embed");
    const PretrainedBert model = PretrainedBert::load(folder.string());
    const std::vector<std::string> texts = {"the cats sat on a mat .", "dog", "time flies"};
    std::string arguments;
    for (const std::string& text : texts)
        arguments += " '" + text + "'";
    const auto mean = lines_of(bert_in(folder, "embed", arguments).out);
    const auto cls = lines_of(bert_in(folder, "embed", "--pooling cls" + arguments).out);
    const auto pooler =
        lines_of(bert_in(folder, "embed", "--json --pooling pooler" + arguments).out);
    const auto unit = lines_of(bert_in(folder, "embed", "--normalize" + arguments).out);
    REQUIRE(mean.size() == 3);
    REQUIRE(pooler.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const BertOutput output = model(model.encode(texts[i]));
        const Tensor& hidden = output.last_hidden_state;
        const std::vector<double> means = numbers_of(mean[i]);
        const std::vector<double> firsts = numbers_of(cls[i]);
        const auto pooled = Json::parse(pooler[i]).at("embedding").get<std::vector<double>>();
        const std::vector<double> units = numbers_of(unit[i]);
        REQUIRE(means.size() == 32);
        for (std::size_t d = 0; d < 32; ++d) {
            double sum = 0;
            for (std::size_t t = 0; t < hidden.dim(1); ++t)
                sum += static_cast<double>(hidden(0, t, d));
            CHECK_THAT(means[d], WithinAbs(sum / static_cast<double>(hidden.dim(1)), tolerance));
            CHECK_THAT(firsts[d], WithinAbs(static_cast<double>(hidden(0, 0, d)), tolerance));
            CHECK_THAT(pooled[d],
                       WithinAbs(static_cast<double>((*output.pooler_output)(0, d)), tolerance));
            CHECK_THAT(units[d], WithinAbs(means[d] / length(means), tolerance));
        }
    }
}

TEST_CASE("bert embed: lines come back in their order whatever their length", "[bert]") {
    const auto folder = tiny_model("bert-order");
    std::string lines;
    for (std::size_t i = 0; i < 2500; ++i) {
        for (std::size_t k = 0; k < 1 + i * 7 % 13; ++k)
            lines += k % 2 == 0 ? "the " : "cat ";
        lines += "\n";
    }
    write(folder / "lines.txt", lines);
    const auto all = lines_of(bert_in(folder, "embed", "--text-file lines.txt --threads 2").out);
    CHECK(all == lines_of(bert_in(folder, "embed", "--threads 1 < lines.txt").out));
    REQUIRE(all.size() == 2500);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1500}, std::size_t{2499}}) {
        std::string text;
        for (std::size_t k = 0; k < 1 + i * 7 % 13; ++k)
            text += k % 2 == 0 ? "the " : "cat ";
        const auto alone = numbers_of(bert_in(folder, "embed", "'" + text + "'").out);
        const auto together = numbers_of(all[i]);
        REQUIRE(alone.size() == together.size());
        for (std::size_t d = 0; d < alone.size(); ++d)
            CHECK_THAT(together[d], WithinAbs(alone[d], tolerance));
    }
}

TEST_CASE("bert fill-mask: ranks and probabilities are those of the library", "[bert]") {
    const auto folder = tiny_model("bert-fill");
    const PretrainedBert model = PretrainedBert::load(folder.string());
    const Outcome outcome =
        bert_in(folder, "fill-mask", "--json --top-k 24 'the [MASK] sat on a [MASK] .' '[MASK]'");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const auto lines = lines_of(outcome.out);
    REQUIRE(lines.size() == 2);
    const Json found = Json::parse(lines[0]);
    REQUIRE(found.size() == 48);
    const BertOutput output = model(model.encode("the [MASK] sat on a [MASK] ."));
    const Tensor probabilities = softmax(model.bert().prediction_logits(output.last_hidden_state));
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].at("position") == (i < 24 ? 2 : 6));
        const auto id = found[i].at("token_id").get<std::int32_t>();
        CHECK(found[i].at("token") == model.tokenizer().vocabulary().token(id));
        CHECK_THAT(found[i].at("probability").get<double>(),
                   WithinAbs(static_cast<double>(probabilities(0, i < 24 ? 2 : 6, id)), tolerance));
        if (i % 24 > 0) CHECK(found[i].at("probability") <= found[i - 1].at("probability"));
    }
    const std::string text =
        bert_in(folder, "fill-mask", "--top-k 2 'the [MASK] sat on a [MASK] .'").out;
    const auto rows = lines_of(text);
    REQUIRE(rows.size() == 5);
    CHECK(rows[2].empty());
    CHECK_THAT(rows[0], ContainsSubstring(found[0].at("token").get<std::string>()));
    CHECK(rows[0].starts_with("  1  "));
    CHECK(rows[4].starts_with("  2  "));
    CHECK(lines_of(bert_in(folder, "fill-mask", "'[MASK]'").out).size() == 5);
    CHECK(lines_of(bert_in(folder, "fill-mask", "--top-k 1 '[MASK]' 'a [MASK]'").out).size() == 3);
}

TEST_CASE("bert next-sentence: both probabilities are those of the library", "[bert]") {
    const auto folder = tiny_model("bert-next");
    const PretrainedBert model = PretrainedBert::load(folder.string());
    const Outcome outcome = bert_in(folder, "next-sentence", "--json 'the cat' --pair 'a dog ran'");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    BertInput input = input_of_ids({2, 5, 6, 3, 11, 12, 13, 3});
    input.token_type_ids = {0, 0, 0, 0, 1, 1, 1, 1};
    const Tensor expected =
        softmax(model.bert().seq_relationship_logits(*model(input).pooler_output));
    const Json found = Json::parse(outcome.out);
    CHECK_THAT(found.at("follows").get<double>(),
               WithinAbs(static_cast<double>(expected(0, 0)), tolerance));
    CHECK_THAT(found.at("not").get<double>(),
               WithinAbs(static_cast<double>(expected(0, 1)), tolerance));
    const std::string text = bert_in(folder, "next-sentence", "'the cat' --pair 'a dog ran'").out;
    CHECK(text.starts_with("follows 0."));
    CHECK_THAT(text, ContainsSubstring("  not 0."));
}

TEST_CASE("bert: texts that a command has no use for are refused by number", "[bert]") {
    const auto folder = tiny_model("bert-no-use");
    write(folder / "lines.txt", "a [MASK]\nthe cat\n");
    check_refused(bert_in(folder, "fill-mask", "--text-file lines.txt"), 2,
                  "lines.txt: line 2: nothing to fill in (found no [MASK]");
    check_refused(bert_in(folder, "next-sentence", "< lines.txt"), 2,
                  "standard input: line 1: not a pair");
    check_refused(bert_in(folder, "embed", "a 'a a a a a a a a a a a a a a a a'"), 2,
                  "text 2: too long for the model (found 18 tokens, expected at most its 16");
    check_refused(bert_in(folder, "fill-mask", "'[MASK]' --top-k 25"), 2, "expected at most 24");
    check_refused(bert_in(folder, "fill-mask", "'[MASK]' --top-k 0"), 2, "--top-k");
    check_refused(bert_in(folder, "embed", "a --pooling max"), 2, "found max");
}

TEST_CASE("bert: a text that is too long is told what cuts it", "[bert]") {
    const auto folder = tiny_model("bert-cures");
    const std::string text = "'the a a a a a a a a a a a a a a a a' ";
    const auto refused = [&](const std::string& options, const std::string& cure) {
        check_refused(bert_in(folder, "embed", text + options), 2, cure + " cuts it)");
    };
    refused("", "--truncation longest_first");
    refused("--max-length 17", "--max-length 16");
    refused("--max-length 100 --truncation only_first", "--max-length 16");
    CHECK(bert_in(folder, "embed", text + "--truncation longest_first").code == 0);
    CHECK(bert_in(folder, "embed", text + "--max-length 16").code == 0);
}

TEST_CASE("bert: a pair needs a model with two token types", "[bert]") {
    BertConfig config = tiny_config();
    config.type_vocab_size = 1;
    const auto folder = tiny_model("bert-one-type");
    Random random{7};
    save_bert(folder.string(), random_bert(random, config));
    for (const char* command : {"embed", "next-sentence", "attention", "encode --out o.npz"}) {
        check_refused(bert_in(folder, command, "a --pair a"), 2,
                      ": a pair (the model has one token type only");
    }
    CHECK(bert_in(folder, "embed", "a").code == 0);
    CHECK(bert_in(folder, "encode", "a --out o.npz").code == 0);
}

TEST_CASE("bert: numbers that overflow are told with their text", "[bert]") {
    if constexpr (sizeof(Real) > sizeof(float)) return;  // there nothing overflows
    const auto folder = tiny_model("bert-overflow");
    Bert bert = load_bert(folder.string());
    for_each_parameter(bert, [](const std::string& name, Tensor& x) {
        if (name.ends_with("query.weight") || name.ends_with("key.weight")) x = x * Real{1e30F};
    });
    save_bert(folder.string(), bert);
    write(folder / "lines.txt", "a\nthe cat\n");
    check_refused(bert_in(folder, "embed", "a"), 5, "text 1: ");
    check_refused(bert_in(folder, "embed", "--text-file lines.txt"), 5,
                  "lines.txt: line 1 or 1 more: ");
}

TEST_CASE("bert: a model without the part that a command needs is refused", "[bert]") {
    const auto folder =
        tiny_model("bert-bare", {.pooler = false, .predictions = false, .seq_relationship = false});
    check_refused(bert_in(folder, "fill-mask", "'[MASK]'"), 3, "no cls.predictions.bias");
    check_refused(bert_in(folder, "next-sentence", "a --pair a"), 3, "cls.seq_relationship.weight");
    check_refused(bert_in(folder, "embed", "a --pooling pooler"), 3, "no bert.pooler.dense.weight");
    CHECK(bert_in(folder, "embed", "a").code == 0);
    const Outcome encoded = bert_in(folder, "encode", "a --logits --out o.npz");
    CHECK(encoded.code == 0);
    CHECK_THAT(encoded.err, ContainsSubstring("warning: --logits"));
}

TEST_CASE("bert: a result that is not finite names the tensor that it comes from", "[bert]") {
    for (const char* name :
         {"bert.embeddings.word_embeddings.weight", "bert.embeddings.LayerNorm.weight",
          "bert.encoder.layer.1.attention.self.query.weight",
          "bert.encoder.layer.1.output.LayerNorm.bias", "cls.predictions.transform.dense.weight",
          "cls.predictions.bias"}) {
        const auto folder = tiny_model("bert-nan");
        Bert bert = load_bert(folder.string());
        for_each_parameter(bert, [name](const std::string& parameter, Tensor& x) {
            if (parameter == name) x = x * std::numeric_limits<Real>::quiet_NaN();
        });
        save_bert(folder.string(), bert);
        check_refused(bert_in(folder, "fill-mask", "'the [MASK]'"), 5,
                      std::string{"./model.safetensors: tensor "} + name + ": ");
    }
}
