#include "ch14_bert/sizes.hpp"

#include <set>

#include "ch14_bert/pre_training_bert.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

std::size_t with_pooler(const BertConfig& config) {
    return parameter_count(config,
                           {.pooler = true, .predictions = false, .seq_relationship = false});
}

std::size_t with_heads(const BertConfig& config) {
    return parameter_count(config, {});
}

BertConfig with_vocabulary(std::size_t size) {
    BertConfig config = bert_size("base");
    config.vocab_size = size;
    return config;
}

}  // namespace

TEST_CASE("N30: six of 30522 tokens are six rows of 768 numbers", "[ch14]") {
    BertConfig base = bert_size("base");
    CHECK(parameter_shape(base, "bert.embeddings.word_embeddings.weight") == Shape{30522, 768});
    base.num_hidden_layers = 1;
    base.vocab_size = 50;  // the same rows, fewer of them
    base.intermediate_size = 8;
    Random random{1};
    const Bert bert = random_bert(random, base, {.pooler = false});
    const BertInput input = input_of_ids({2, 9, 8, 7, 9, 3}, 1);
    CHECK(bert.model.embeddings(input).shape() == Shape{1, 6, 768});
    CHECK(bert.model(input).last_hidden_state.shape() == Shape{1, 6, 768});
}

TEST_CASE("N34: BERT-base has 109482240 parameters and 108808704 by the formula", "[ch14]") {
    const BertConfig base = bert_size("base");
    CHECK(count_without_biases(base) == 108'808'704);
    CHECK(with_pooler(base) == 109'482'240);
    CHECK(with_heads(base) == 110'106'428);
}

TEST_CASE("N35: BERT-large has 335141888 parameters", "[ch14]") {
    const BertConfig large = bert_size("large");
    CHECK(with_pooler(large) == 335'141'888);
    CHECK(with_heads(large) == 336'226'108);
}

TEST_CASE("N46: base and large have heads of width 64 and four times the width inside", "[ch14]") {
    for (const char* name : {"base", "large"}) {
        const BertConfig config = bert_size(name);
        CHECK(config.hidden_size / config.num_attention_heads == 64);
        CHECK(config.intermediate_size == 4 * config.hidden_size);
    }
    CHECK(bert_size("base").num_hidden_layers == 12);
    CHECK(bert_size("base").hidden_size == 768);
    CHECK(bert_size("base").num_attention_heads == 12);
    CHECK(bert_size("large").num_hidden_layers == 24);
    CHECK(bert_size("large").hidden_size == 1024);
    CHECK(bert_size("large").num_attention_heads == 16);
}

TEST_CASE("parameter_count: equals the published models of every size", "[ch14]") {
    CHECK(with_pooler(bert_size("tiny")) == 4'385'920);
    CHECK(with_heads(bert_size("tiny")) == 4'433'468);
    CHECK(with_pooler(bert_size("mini")) == 11'170'560);
    CHECK(with_heads(bert_size("mini")) == 11'267'900);
    CHECK(with_pooler(bert_size("small")) == 28'763'648);
    CHECK(with_heads(bert_size("small")) == 29'058'876);
    CHECK(with_pooler(bert_size("medium")) == 41'373'184);
    CHECK(with_heads(bert_size("medium")) == 41'668'412);
    CHECK(with_pooler(with_vocabulary(28'996)) == 108'310'272);  // cased
    CHECK(with_heads(with_vocabulary(28'996)) == 108'932'934);
    CHECK(with_pooler(with_vocabulary(21'128)) == 102'267'648);  // Chinese
    CHECK(with_heads(with_vocabulary(21'128)) == 102'882'442);
}

TEST_CASE("parameter_count: equals the sizes of a model's tensors", "[ch14]") {
    BertConfig config{.vocab_size = 23,
                      .hidden_size = 12,
                      .num_hidden_layers = 3,
                      .num_attention_heads = 4,
                      .intermediate_size = 17,
                      .max_position_embeddings = 9,
                      .type_vocab_size = 3};
    Random random{1};
    for (const BertParts& parts :
         {BertParts{}, BertParts{false, true, false, true}, BertParts{true, false, false, false}}) {
        const Bert bert = random_bert(random, config, parts);
        CHECK(parameter_count(bert) == parameter_count(config, parts));
        for_each_parameter(bert, [&](const std::string& name, const Tensor& x) {
            CHECK(x.shape() == parameter_shape(config, name));
        });
    }
}

TEST_CASE("sizes_of_parts: nine parts that add up", "[ch14]") {
    const std::vector<PartSize> parts = sizes_of_parts(bert_size("base"));
    CHECK(parts.size() == 9);
    std::size_t sum = 0;
    for (const PartSize& part : parts)
        sum += part.parameters;
    CHECK(sum == with_heads(bert_size("base")));
}

TEST_CASE("visit_parameters: the 206 names of a base checkpoint with its heads", "[ch14]") {
    std::set<std::string> names;
    const Bert outline = bert_outline(bert_size("base"), {});
    for_each_parameter(outline,
                       [&](const std::string& name, const Tensor&) { names.insert(name); });
    CHECK(names.size() == 14 + 16 * 12);
    for (const char* name :
         {"bert.embeddings.LayerNorm.weight", "bert.encoder.layer.11.attention.self.value.bias",
          "bert.encoder.layer.0.attention.output.LayerNorm.bias",
          "bert.encoder.layer.3.intermediate.dense.weight", "bert.pooler.dense.weight",
          "bert.encoder.layer.3.output.LayerNorm.weight", "cls.predictions.bias",
          "cls.predictions.transform.LayerNorm.weight", "cls.seq_relationship.bias"}) {
        INFO(name);
        CHECK(names.contains(name));
    }
}
