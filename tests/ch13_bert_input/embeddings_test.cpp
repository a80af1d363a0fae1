#include "ch13_bert_input/embeddings.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "ch06_learning/gradient_check.hpp"
#include "ch13_bert_input/batch.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "ch13_bert_input/lesson.hpp"
#include "common/random/random.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/parameters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

BertEmbeddings random_embeddings(std::size_t rows, std::size_t positions, std::size_t types,
                                 std::size_t width) {
    Random random{131};
    return {normal(random, {rows, width}, 0, 1),
            {normal(random, {positions, width}, 0, 1)},
            normal(random, {types, width}, 0, 1),
            {normal(random, {width}, 1, 0.1), normal(random, {width}, 0, 0.1), 1e-12}};
}

Tensor place(const Tensor& x, std::size_t example, std::size_t t) {
    return reshape(slice(slice(x, 0, example, example + 1), 1, t, t + 1), {x.dim(2)});
}

}  // namespace

// "like" at 2: 0 1 1 4 + 0 0 0 1 + -1 0 0 2 = -1 1 1 7, mean 2, deviation 3.
// "like" at 6: 0 1 1 4 + 1 0 0 -1 + -1 -1 1 -1 = 0 0 2 2, mean 1, deviation 1.
TEST_CASE("BertEmbeddings: one word in two places by hand", "[ch13]") {
    const std::vector<Encoding> encodings{encode(lesson_tokenizer(), "I like dogs", "I like cats")};
    const Tensor x = lesson_embeddings()(make_batch(encodings, 0));
    CHECK(x.shape() == Shape{1, 9, 4});
    const BertEmbeddings layer = lesson_embeddings();
    CHECK(slice(layer.positions.table, 0, 2, 3) == Tensor{{-1, 0, 0, 2}});
    CHECK(slice(layer.positions.table, 0, 6, 7) == Tensor{{-1, -1, 1, -1}});
    // Largest errors seen: 0 in float, one bit of 5/3 is allowed; 5e-13 in double, from epsilon.
    const double tolerance = by_precision(3e-7, 2e-12);
    check_close("place 2", place(x, 0, 2), Tensor{-1, -1.0 / 3, -1.0 / 3, 5.0 / 3}, tolerance);
    check_close("place 6", place(x, 0, 6), Tensor{-1, -1, 1, 1}, tolerance);
}

TEST_CASE("EMB-04: one text alone has row 0 of the segment table", "[ch13]") {
    BertEmbeddings layer = random_embeddings(5, 4, 2, 6);
    const Tensor before = layer(input_of_ids({1, 2}));
    layer.token_type_embeddings.mutable_row(1)[0] += Real{1};
    CHECK(layer(input_of_ids({1, 2})) == before);
    layer.token_type_embeddings.mutable_row(0)[0] += Real{1};
    CHECK(max_error(layer(input_of_ids({1, 2})), before) > 0.01);
}

TEST_CASE("BertEmbeddings: a token has its vector whatever stands beside it", "[ch13]") {
    const BertEmbeddings layer = random_embeddings(7, 5, 2, 6);
    const Tensor x = layer(input_of_ids({1, 2, 3, 1, 4, 3}, 2));
    CHECK(place(x, 0, 0) == place(x, 1, 0));
    CHECK(place(x, 0, 2) == place(x, 1, 2));
    CHECK(max_error(place(layer(input_of_ids({3, 3})), 0, 0),
                    place(layer(input_of_ids({3, 3})), 0, 1)) > 0.01);
}

TEST_CASE("BertEmbeddings: gradients of all tables are those of central differences", "[ch13]") {
    if (sizeof(Real) == sizeof(float)) return;  // a difference of losses needs double
    BertEmbeddings layer = random_embeddings(6, 5, 2, 6);
    layer.norm.epsilon = 1e-5;
    const BertInput input{
        2, 3, {1, 2, 1, 5, 0, 0}, {0, 1, 1, 0, 0, 0}, Tensor{{1, 1, 1}, {1, 0, 0}}};
    const auto errors =
        check_gradients([&] { return weighted_sum(layer(input)); }, parameters_of(layer));
    REQUIRE(errors.size() == 5);
    for (const GradientError& error : errors) {
        INFO(error.name << " " << error.relative);
        CHECK(error.norm > 0.1);
        CHECK(error.relative < 2e-11);  // largest seen: 4.7e-12
    }
}

TEST_CASE("BertEmbeddings: parameters have the names of a checkpoint", "[ch13]") {
    BertEmbeddings layer = random_embeddings(6, 5, 2, 4);
    std::vector<std::string> names;
    for (const NamedParameter& parameter : parameters_of(layer))
        names.push_back(parameter.name);
    CHECK(names == std::vector<std::string>{"word_embeddings.weight", "position_embeddings.weight",
                                            "token_type_embeddings.weight", "LayerNorm.weight",
                                            "LayerNorm.bias"});
    CHECK(parameter_count(layer) == (6 + 5 + 2 + 2) * 4);
}

TEST_CASE("BertEmbeddings: dropout is applied to what was normalised", "[ch13]") {
    const BertEmbeddings layer = random_embeddings(6, 5, 2, 8);
    const BertInput input = input_of_ids({1, 2, 3});
    Dropout dropout{0.5, Random{7}};
    Dropout same{0.5, Random{7}};
    CHECK(layer(input, &dropout) == same(layer(input)));
    CHECK(max_error(layer(input, &dropout), layer(input)) > 0.1);
}

// ENC-07 and VT32.
TEST_CASE("BertEmbeddings: 512 tokens fit into 512 positions and 513 do not", "[ch13]") {
    const BertEmbeddings layer = random_embeddings(3, 512, 2, 2);
    CHECK(layer(input_of_ids(std::vector<std::int64_t>(512, 1))).shape() == Shape{1, 512, 2});
    const BertInput long_input = input_of_ids(std::vector<std::int64_t>(513, 1));
    CHECK_THROWS_AS(layer(long_input), ShapeError);
    CHECK_THROWS_WITH(layer(long_input),
                      "BertEmbeddings: an input of 513 tokens, special ones "
                      "included, is longer than the 512 positions of the model");
}

// ENC-08.
TEST_CASE("BertEmbeddings: ids outside their tables are refused by place and number", "[ch13]") {
    const BertEmbeddings layer = random_embeddings(6, 5, 2, 4);
    const auto refused = [&layer](const BertInput& input, const std::string& message) {
        CHECK_THROWS_AS(layer(input), std::invalid_argument);
        CHECK_THROWS_WITH(layer(input), message);
    };
    refused(input_of_ids({1, 2, 3, 6}, 2),
            "BertEmbeddings: input_ids of example 1, position 1 (found 6, expected one of [0, 6))");
    refused(
        input_of_ids({-1}),
        "BertEmbeddings: input_ids of example 0, position 0 (found -1, expected one of [0, 6))");
    refused(input_of_ids({std::numeric_limits<std::int64_t>::min()}),
            "BertEmbeddings: input_ids of example 0, position 0 (found -9223372036854775808, "
            "expected one of [0, 6))");
    BertInput input = input_of_ids({1, 2, 3});
    input.token_type_ids[2] = 2;
    refused(input,
            "BertEmbeddings: token_type_ids of example 0, position 2 (found 2, expected one of "
            "[0, 2))");
}

TEST_CASE("BertEmbeddings: an input that is none is refused before it is read", "[ch13]") {
    BertInput input = input_of_ids({1, 2});
    input.attention_mask = Tensor{{1, 1, 1}};
    CHECK_THROWS_WITH(random_embeddings(6, 5, 2, 4)(input),
                      ContainsSubstring("BertInput: B=1 T=2"));
}

TEST_CASE("BertEmbeddings: tables of different widths are refused", "[ch13]") {
    BertEmbeddings layer = random_embeddings(6, 5, 2, 4);
    layer.token_type_embeddings = Tensor(Shape{2, 3});
    CHECK_THROWS_WITH(layer(input_of_ids({1})),
                      ContainsSubstring("word_embeddings (V=6, D=4), position_embeddings (P=5, "
                                        "D=4) and token_type_embeddings (G=2, D=3)"));
    layer.token_type_embeddings = Tensor(Shape{4});
    CHECK_THROWS_AS(layer(input_of_ids({1})), ShapeError);
    layer = random_embeddings(6, 5, 2, 4);
    layer.positions.table = Tensor(Shape{5, 2});
    CHECK_THROWS_AS(layer(input_of_ids({1})), ShapeError);
    CHECK_THROWS_AS(BertEmbeddings{}(input_of_ids({1})), ShapeError);
    layer = random_embeddings(6, 5, 2, 4);
    layer.norm = unit_layer_norm(3);
    CHECK_THROWS_AS(layer(input_of_ids({1})), ShapeError);
}
