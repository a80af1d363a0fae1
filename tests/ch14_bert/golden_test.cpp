#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "common/io/npz.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Golden = std::map<std::string, Tensor>;

std::string golden_folder() {
    return BERT_SOURCE_DIR "/data/golden/bert";
}

std::vector<std::string> golden_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator{golden_folder()})
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::int64_t> ids_of(const Tensor& x) {
    return {x.values().begin(), x.values().end()};
}

BertInput golden_input(const Golden& arrays) {
    const Tensor& ids = arrays.at("input_ids");
    return {ids.dim(0), ids.dim(1), ids_of(ids), ids_of(arrays.at("token_type_ids")),
            arrays.at("attention_mask")};
}

double largest(const Tensor& x) {
    double largest = 0.0;
    for (const Real value : x.values())
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    return largest;
}

// Against the tensor's own largest number.
void check_relative(const std::string& what, const Tensor& actual, const Tensor& expected,
                    double tolerance) {
    check_close(what, actual, expected, tolerance * largest(expected));
}

// One of the stacked tensors, (N, ..) to (..).
Tensor entry(const Tensor& stack, std::size_t i) {
    const Tensor one = slice(stack, 0, i, i + 1);
    return one.reshaped(Shape(stack.shape().begin() + 1, stack.shape().end()));
}

// Hidden states (B, T, D) or the queries of maps (B, H, T, T), 0 where there is padding.
Tensor only_tokens(Tensor x, const Tensor& mask) {
    const std::size_t length = mask.dim(1);
    const std::size_t heads = x.rank() == 4 ? x.dim(1) : 1;
    for (std::size_t r = 0; r < x.num_rows(); ++r) {
        if (mask.data()[r / (heads * length) * length + r % length] != Real{0}) continue;
        for (Real& value : x.mutable_row(r))
            value = 0;
    }
    return x;
}

void check_output(const std::string& name, const BertOutput& output, const Golden& arrays) {
    const double hidden = by_precision(4e-6, 2e-13);
    const double weights = by_precision(4e-6, 2e-13);
    check_relative(name + " last_hidden_state", output.last_hidden_state,
                   arrays.at("last_hidden_state"), hidden);
    REQUIRE(output.pooler_output.has_value() == arrays.contains("pooler_output"));
    if (output.pooler_output) {
        check_relative(name + " pooler_output", *output.pooler_output, arrays.at("pooler_output"),
                       hidden);
    }
    const Tensor& states = arrays.at("hidden_states");
    const Tensor& maps = arrays.at("attentions");
    REQUIRE(output.hidden_states.size() == states.dim(0));
    REQUIRE(output.attentions.size() == maps.dim(0));
    for (std::size_t l = 0; l < states.dim(0); ++l)
        check_relative(name + " hidden state", output.hidden_states[l], entry(states, l), hidden);
    for (std::size_t l = 0; l < maps.dim(0); ++l)
        check_close(name + " attention", output.attentions[l], entry(maps, l), weights);
}

void check_heads(const std::string& name, const Bert& bert, const BertOutput& output,
                 const Golden& arrays) {
    const double tolerance = by_precision(4e-6, 2e-13);
    REQUIRE(bert.predictions.has_value() == arrays.contains("prediction_logits"));
    REQUIRE(bert.seq_relationship.has_value() == arrays.contains("seq_relationship_logits"));
    if (bert.predictions) {
        check_relative(name + " prediction_logits",
                       bert.prediction_logits(output.last_hidden_state),
                       arrays.at("prediction_logits"), tolerance);
    }
    if (bert.seq_relationship) {
        check_relative(name + " seq_relationship_logits",
                       bert.seq_relationship_logits(*output.pooler_output),
                       arrays.at("seq_relationship_logits"), tolerance);
    }
}

}  // namespace

TEST_CASE("BertModel: equals transformers on 14 checkpoints of random configs", "[ch14]") {
    const std::vector<std::string> names = golden_names();
    CHECK(names.size() == 14);
    for (const std::string& name : names) {
        const Golden arrays = golden("bert/" + name + "/output");
        const Bert bert = load_bert(golden_folder() + "/" + name);
        const BertOutput output =
            bert.model(golden_input(arrays), {.hidden_states = true, .attentions = true});
        check_output(name, output, arrays);
        check_heads(name, bert, output, arrays);
    }
}

TEST_CASE("PretrainedBert: equals transformers on the same checkpoints", "[ch14]") {
    for (const std::string& name : golden_names()) {
        const Golden arrays = golden("bert/" + name + "/output");
        const PretrainedBert model = PretrainedBert::load(golden_folder() + "/" + name);
        const BertOutput output =
            model(golden_input(arrays), {.hidden_states = true, .attentions = true});
        check_output(name, output, arrays);
        check_heads(name, model.bert(), output, arrays);
    }
}

TEST_CASE("PretrainedBert: leaves out padding when asked and keeps the rest", "[ch14]") {
    const MatmulMethod before = matmul_method();
    for (const std::string& name : golden_names()) {
        Golden arrays = golden("bert/" + name + "/output");
        const BertInput input = golden_input(arrays);
        const auto clear = [&input](Tensor& stack) {
            std::vector<Tensor> parts;
            for (std::size_t l = 0; l < stack.dim(0); ++l)
                parts.push_back(only_tokens(entry(stack, l), input.attention_mask));
            stack = concat(parts, 0).reshaped(stack.shape());
        };
        clear(arrays.at("hidden_states"));
        clear(arrays.at("attentions"));
        arrays["last_hidden_state"] =
            only_tokens(arrays.at("last_hidden_state"), input.attention_mask);
        for (const MatmulMethod method : {MatmulMethod::loop, MatmulMethod::library}) {
            set_matmul_method(method);
            const PretrainedBert model = PretrainedBert::load(golden_folder() + "/" + name);
            if (const auto& pooler = model.bert().model.pooler)  // a text can begin with padding
                arrays["pooler_output"] = pool(*pooler, arrays.at("last_hidden_state"));
            check_output(name, model(input, {true, true, false}), arrays);
        }
    }
    set_matmul_method(before);
}

TEST_CASE("PretrainedBert: equals transformers on the checkpoint that BERT_MODEL_DIR names",
          "[ch14]") {
    const char* const folder = std::getenv("BERT_MODEL_DIR");  // tools/golden/model_dir.py
    if (folder == nullptr) {
        WARN("BERT_MODEL_DIR is not set: nothing is compared");
        return;
    }
    const Golden all = read_tensors(std::string{folder} + "/expected.npz");
    const PretrainedBert model = PretrainedBert::load(folder);
    for (const std::string name : {"batch", "pair"}) {
        Golden arrays;
        for (const auto& [key, x] : all)
            if (key.starts_with(name + "_")) arrays[key.substr(name.size() + 1)] = x;
        const Tensor mask = arrays.at("attention_mask");
        BertOutput output =
            model(golden_input(arrays), {.hidden_states = true, .attentions = true});
        // At padding, transformers in float32 is 2e-5 from itself in double for a short text.
        const Tensor& states = arrays.at("hidden_states");
        const Tensor& maps = arrays.at("attentions");
        for (std::size_t l = 0; l < states.dim(0); ++l)
            check_relative(name + " hidden state", only_tokens(output.hidden_states[l], mask),
                           only_tokens(entry(states, l), mask), 4e-6);
        for (std::size_t l = 0; l < maps.dim(0); ++l)
            check_close(name + " attention", only_tokens(output.attentions[l], mask),
                        only_tokens(entry(maps, l), mask), 8e-6);
        if (arrays.contains("pooler_output"))
            check_relative(name + " pooler", *output.pooler_output, arrays.at("pooler_output"),
                           4e-6);
        if (arrays.contains("prediction_logits")) check_heads(name, model.bert(), output, arrays);
    }
}
