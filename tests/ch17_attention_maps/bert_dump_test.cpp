#include "ch17_attention_maps/bert_dump.hpp"

#include <string>
#include <vector>

#include "ch17_attention_maps/head_summary.hpp"
#include "ch17_attention_maps/map_tokens.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;

namespace {

using Numbers = std::vector<std::int32_t>;

const Tokenizer& tokenizer() {
    static const Tokenizer made{WordPieceVocabulary{
        {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "dog", "##s", "bark", "cat"}}};
    return made;
}

// A pair of 7 tokens, and a text of 4 with padding.
std::vector<Encoding> encodings() {
    std::vector<Encoding> made{encode(tokenizer(), "Dogs bark", "cat"),
                               encode(tokenizer(), "cat bark")};
    pad(made[1], made[0].length(), tokenizer().special().pad);
    return made;
}

// All weight on [CLS].
Tensor maps_of(std::size_t batch, std::size_t length) {
    Tensor layer(Shape{batch, 2, length, length});
    for (std::size_t r = 0; r < layer.num_rows(); ++r)
        layer.mutable_row(r)[0] = 1;
    return layer;
}

}  // namespace

TEST_CASE("bert_dump: everything that the tokenizer knows", "[ch17]") {
    const AttentionDump dump =
        bert_dump({maps_of(2, 7), maps_of(2, 7), maps_of(2, 7)}, encodings(), tokenizer());
    CHECK(dump.attentions.shape() == Shape{3, 2, 2, 7, 7});
    CHECK(dump.tokens[0] ==
          std::vector<std::string>{"[CLS]", "dog", "##s", "bark", "[SEP]", "cat", "[SEP]"});
    CHECK(dump.tokens[1] ==
          std::vector<std::string>{"[CLS]", "cat", "bark", "[SEP]", "[PAD]", "[PAD]", "[PAD]"});
    const auto numbers = [&](const char* name) { return dump.token_numbers.at(name).values; };
    CHECK(numbers("input_ids") == Numbers{2, 5, 6, 7, 3, 8, 3, 2, 8, 7, 3, 0, 0, 0});
    CHECK(numbers("token_type_ids") == Numbers{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0});
    CHECK(numbers("attention_mask") == Numbers{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0});
    CHECK(numbers("special_tokens_mask") == Numbers{1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1});
    CHECK(numbers("word_ids") == Numbers{-1, 0, 0, 1, -1, 0, -1, -1, 0, 1, -1, -1, -1, -1});
    CHECK(numbers("offsets") == Numbers{0, 0, 0, 3, 3, 4, 5, 9, 0, 0, 0, 3, 0, 0,  //
                                        0, 0, 0, 3, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(dump.token_numbers.at("offsets").shape == Shape{2, 7, 2});
    CHECK(dump.token_numbers.size() == 6);
    REQUIRE(dump.sentence_b_start.size() == 2);
    CHECK(dump.sentence_b_start[0] == 5);
    CHECK_FALSE(dump.sentence_b_start[1]);
    CHECK(dump.mask == AttentionMask::padding);
    CHECK(dump.special_tokens.at("cls") == "[CLS]");
    CHECK(dump.special_tokens.at("sep") == "[SEP]");
    CHECK(dump.special_tokens.size() == 5);
    CHECK(map_tokens(dump).roles[1] ==
          std::vector<TokenRole>{TokenRole::cls, TokenRole::word, TokenRole::word, TokenRole::sep,
                                 TokenRole::padding, TokenRole::padding, TokenRole::padding});
    CHECK(head_summary(dump)[0].cls == 1.0);
}

TEST_CASE("bert_dump: maps and texts that do not fit are refused", "[ch17]") {
    CHECK_THROWS_AS(bert_dump({maps_of(2, 6)}, encodings(), tokenizer()), ShapeError);
    CHECK_THROWS_AS(bert_dump({maps_of(1, 7)}, encodings(), tokenizer()), ShapeError);
    CHECK_THROWS_AS(bert_dump({}, encodings(), tokenizer()), ShapeError);
    std::vector<Encoding> uneven = encodings();
    uneven[1] = encode(tokenizer(), "cat bark");
    CHECK_THROWS_AS(bert_dump({maps_of(2, 7)}, uneven, tokenizer()), ShapeError);
    Tensor on_padding = maps_of(2, 7);
    on_padding.mutable_row(14)[0] = 0;
    on_padding.mutable_row(14)[6] = 1;
    CHECK_THROWS_AS(bert_dump({on_padding}, encodings(), tokenizer()), NumericError);
}
