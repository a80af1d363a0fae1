#include "ch13_bert_input/bert_input.hpp"

#include <stdexcept>
#include <vector>

#include "ch13_bert_input/batch.hpp"
#include "ch13_bert_input/lesson.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Numbers = std::vector<std::int64_t>;

BertInput two_by_two() {
    return {2, 2, {1, 2, 3, 4}, {0, 1, 0, 1}, Tensor{{1, 1}, {1, 0}}};
}

}  // namespace

TEST_CASE("input_of_ids: one sentence without padding", "[ch13]") {
    const BertInput input = input_of_ids({5, 6, 7});
    CHECK(input.batch == 1);
    CHECK(input.length == 3);
    CHECK(input.input_ids == Numbers{5, 6, 7});
    CHECK(input.token_type_ids == Numbers{0, 0, 0});
    CHECK(input.attention_mask == Tensor{{1, 1, 1}});
    CHECK(input_of_ids({1, 2, 3, 4, 5, 6}, 2).length == 3);
}

TEST_CASE("input_of_ids: ids that do not fill a batch are refused", "[ch13]") {
    CHECK_THROWS_AS(input_of_ids({1, 2, 3}, 2), ShapeError);
    CHECK_THROWS_AS(input_of_ids({1, 2, 3}, 0), ShapeError);
    CHECK_THROWS_AS(input_of_ids({}, 1), ShapeError);
}

TEST_CASE("require_input: lists of other lengths and other masks are refused", "[ch13]") {
    CHECK_NOTHROW(require_input(two_by_two()));
    BertInput input = two_by_two();
    input.input_ids.pop_back();
    CHECK_THROWS_WITH(require_input(input), ContainsSubstring("B=2 T=2 with 3 input_ids"));
    input = two_by_two();
    input.token_type_ids.push_back(0);
    CHECK_THROWS_AS(require_input(input), ShapeError);
    input = two_by_two();
    input.attention_mask = Tensor{{1, 1, 1, 0}};
    CHECK_THROWS_AS(require_input(input), ShapeError);
    CHECK_THROWS_AS(require_input(BertInput{}), ShapeError);
    input = two_by_two();
    input.attention_mask = Tensor{{1, 1}, {1, 0.5}};
    CHECK_THROWS_WITH(require_input(input), ContainsSubstring("expected 0 or 1"));
}

TEST_CASE("make_batch: the shorter examples are padded with type 0 and mask 0", "[ch13]") {
    const Tokenizer tokenizer = lesson_tokenizer();
    const std::vector<Encoding> encodings{encode(tokenizer, "dogs", "cats"), encode(tokenizer, "")};
    const BertInput input = make_batch(encodings, 4);
    CHECK(input.batch == 2);
    CHECK(input.length == 5);
    CHECK(input.input_ids == Numbers{2, 7, 3, 8, 3, 2, 3, 4, 4, 4});
    CHECK(input.token_type_ids == Numbers{0, 0, 0, 1, 1, 0, 0, 0, 0, 0});
    CHECK(input.attention_mask == Tensor{{1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}});
}

TEST_CASE("make_batch: is the padding of encode_all", "[ch13]") {
    const Tokenizer tokenizer = lesson_tokenizer();
    const std::vector<TextPair> texts{{"i like dogs", "cats"}, {"cats"}, {"he is cute"}};
    std::vector<Encoding> encodings = encode_all(tokenizer, texts);
    CHECK(encodings[1].length() == 3);
    const BertInput input = make_batch(encodings, tokenizer.special().pad);
    const auto padded = encode_all(tokenizer, texts, {.padding = Padding::longest});
    const BertInput same = make_batch(padded, 99);
    CHECK(input.input_ids == same.input_ids);
    CHECK(input.token_type_ids == same.token_type_ids);
    CHECK(input.attention_mask == same.attention_mask);
}

TEST_CASE("make_batch: no examples and uneven lists are refused", "[ch13]") {
    CHECK_THROWS_AS(make_batch({}, 0), ShapeError);
    std::vector<Encoding> encodings(2);
    CHECK_THROWS_WITH(make_batch(encodings, 0), ContainsSubstring("B=2 examples of T=0"));
    const Encoding whole = encode(lesson_tokenizer(), "dogs");
    encodings = {whole, whole};
    encodings[1].token_type_ids.pop_back();
    CHECK_THROWS_WITH(make_batch(encodings, 0),
                      ContainsSubstring("example 1 has 3 input_ids, 2 token_type_ids"));
    encodings = {whole, whole};
    encodings[0].attention_mask.push_back(1);
    CHECK_THROWS_AS(make_batch(encodings, 0), ShapeError);
}
