// pool, text_vectors and batches of texts, in numbers that fit on paper.
#include <cmath>
#include <string>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "common/io/atomic_file.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

// Two texts of three tokens and of one; what stands at padding counts for nothing.
BertOutput two_texts() {
    return {
        .last_hidden_state = Tensor(Shape{2, 3, 2}, {3, 0, 0, 3, 3, 6, 0, 2, 100, 100, -100, 50}),
        .pooler_output = Tensor(Shape{2, 2}, {0.5, -0.5, 1, 0}),
        .hidden_states = {},
        .attentions = {}};
}

const Tensor two_masks(Shape{2, 3}, {1, 1, 1, 1, 0, 0});

}  // namespace

TEST_CASE("pool: two texts by hand", "[ch14]") {
    const auto ln2 = static_cast<Real>(std::log(2.0));  // tanh(ln 2) = (2 - 1/2) / (2 + 1/2)
    const auto ln3 = static_cast<Real>(std::log(3.0));  // tanh(ln 3) = (3 - 1/3) / (3 + 1/3)
    const Linear pooler{.weight = Tensor(Shape{2, 2}, {1, 0, 1, 1}),
                        .bias = Tensor(Shape{2}, {ln2, 0})};
    const Tensor hidden(Shape{2, 2, 2}, {0, ln3, 9, 9, -ln2, 0, 9, 9});
    // Seen: 0; the rounded logarithms allow 1e-7.
    check_close("pool", pool(pooler, hidden),
                Tensor(Shape{2, 2}, {Real(0.6), Real(0.8), 0, Real(-0.6)}), 3e-7);
}

TEST_CASE("text_vectors: mean and cls and pooler by hand", "[ch14]") {
    const BertOutput output = two_texts();
    CHECK(text_vectors(output, two_masks) == Tensor(Shape{2, 2}, {2, 3, 0, 2}));
    CHECK(text_vectors(output, two_masks, Pooling::cls) == Tensor(Shape{2, 2}, {3, 0, 0, 2}));
    CHECK(text_vectors(output, two_masks, Pooling::pooler) == *output.pooler_output);
    const Tensor none(Shape{2, 3}, {1, 0, 0, 0, 0, 0});
    CHECK(text_vectors(output, none) == Tensor(Shape{2, 2}, {3, 0, 0, 0}));
}

TEST_CASE("text_vectors: what does not fit is refused", "[ch14]") {
    BertOutput output = two_texts();
    CHECK_THROWS_AS(text_vectors(output, Tensor(Shape{3, 2})), ShapeError);
    CHECK_THROWS_WITH(
        text_vectors(output, Tensor(Shape{2, 2})),
        ContainsSubstring("attention_mask (2, 2) does not fit last_hidden_state (2, 3, 2)"));
    output.pooler_output.reset();
    CHECK_THROWS_WITH(text_vectors(output, two_masks, Pooling::pooler),
                      ContainsSubstring("no pooler"));
}

TEST_CASE("unit_rows: length 1 but for zeros", "[ch14]") {
    const Tensor rows = unit_rows(Tensor(Shape{3, 2}, {3, 4, 0, 0, 0, -7}));
    check_close("unit_rows", rows, Tensor(Shape{3, 2}, {Real(0.6), Real(0.8), 0, 0, 0, -1}), 1e-7);
}

TEST_CASE("PretrainedBert: a batch of texts gives each the vector that it has alone", "[ch14]") {
    const std::string folder = scratch_folder("batch_of_texts").string();
    write_file(folder + "/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n");
    BertConfig config;
    config.vocab_size = 7;
    config.hidden_size = config.intermediate_size = 12;
    config.num_hidden_layers = config.num_attention_heads = 2;
    config.max_position_embeddings = 8;
    config.initializer_range = 0.3;
    Random random{4};
    const PretrainedBert model{random_bert(random, config), Tokenizer::from_folder(folder)};
    const std::vector<TextPair> texts{{"a b b"}, {"b"}, {"a", "b a"}};
    const BertInput batch = model.encode_batch(texts);
    CHECK(batch.batch == 3);
    CHECK(batch.length == 6);
    const Tensor together = text_vectors(model(batch), batch.attention_mask);
    for (std::size_t b = 0; b < texts.size(); ++b) {
        const BertInput one = model.encode_batch({&texts[b], 1});
        const Tensor alone = text_vectors(model(one), one.attention_mask);
        for (std::size_t d = 0; d < 12; ++d)
            CHECK_THAT(static_cast<double>(together(b, d)),  // seen: 2e-7 with float
                       WithinAbs(static_cast<double>(alone(0, d)), 1e-6));
    }
    CHECK(model.encode_batch(texts, {.max_length = 3, .truncation = Truncation::longest_first})
              .length == 3);
    CHECK_THROWS_AS(model.encode_batch({}), ShapeError);
}
