#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch13_bert_input/embeddings.hpp"
#include "tests/ch13_bert_input/golden_encodings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

std::vector<std::int64_t> whole(const Tensor& x) {
    return {x.data(), x.data() + x.size()};
}

void check_embeddings(const std::string& name, double tolerance) {
    const auto arrays = golden(name);
    const Tensor& ids = arrays.at("input_ids");
    BertEmbeddings layer{
        arrays.at("word"),
        {arrays.at("position")},
        arrays.at("type"),
        {arrays.at("weight"), arrays.at("bias"), static_cast<double>(arrays.at("epsilon")(0))}};
    const BertInput input{ids.dim(0), ids.dim(1), whole(ids), whole(arrays.at("token_type_ids")),
                          arrays.at("attention_mask")};
    check_close(name, layer(input), arrays.at("output"), tolerance);
}

}  // namespace

TEST_CASE("encode_all: batches are Hugging Face's", "[ch13]") {
    const auto batches =
        golden_batches(std::string{BERT_SOURCE_DIR} + "/data/golden/ch13_encodings.npz");
    std::set<std::tuple<Truncation, Padding, bool, bool>> kinds;
    for (const GoldenBatch& batch : batches)
        kinds.emplace(batch.options.truncation, batch.options.padding,
                      batch.options.add_special_tokens, batch.texts[0].second.has_value());
    REQUIRE(kinds.size() == 4 * 3 * 2 * 2);
    REQUIRE(std::count_if(batches.begin(), batches.end(),
                          [](const GoldenBatch& batch) { return batch.refused; }) > 30);
    check_batches(batches, Tokenizer{mini_vocabulary()});
}

TEST_CASE("BertEmbeddings: outputs are those of Hugging Face's", "[ch13]") {
    // Largest errors seen: 4.8e-7 (float), 1.8e-15 (double).
    check_embeddings("ch13_embeddings", by_precision(2e-6, 1e-14));
    check_embeddings("ch13_embeddings_wide", by_precision(2e-6, 1e-14));
}
