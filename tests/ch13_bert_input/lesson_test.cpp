#include <string>
#include <variant>
#include <vector>

#include "ch13_bert_input/batch.hpp"
#include "ch13_bert_input/encoding_tables.hpp"
#include "ch13_bert_input/input_picture.hpp"
#include "ch13_bert_input/lesson.hpp"
#include "ch13_bert_input/mistakes.hpp"
#include "common/plot/colormap.hpp"
#include "common/plot/picture.hpp"
#include "common/tensor/elementwise.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

// [CLS] dogs like cats [SEP] cats like dogs [SEP] [PAD] [PAD]
BertInput padded_pair() {
    Encoding encoding = encode(lesson_tokenizer(), "dogs like cats", "cats like dogs");
    pad(encoding, 11, 0);
    return make_batch(std::vector<Encoding>{encoding}, 0);
}

double seen(const Tensor& weights, std::size_t begin, std::size_t end) {
    double sum = 0.0;
    for (std::size_t s = begin; s < end; ++s)
        sum += static_cast<double>(weights(0, 1, s));
    return sum;
}

}  // namespace

TEST_CASE("mistakes: token types as mask hide the first text", "[ch13]") {
    const BertInput input = padded_pair();
    const Tensor x = lesson_embeddings()(input);
    const Tensor right = who_looks_at_whom(x, input);
    CHECK(seen(right, 0, 5) > 0.3);
    CHECK(seen(right, 9, 11) == 0.0);
    const Tensor mixed_up = who_looks_at_whom(x, types_as_mask(input));
    CHECK(seen(mixed_up, 0, 5) == 0.0);
    CHECK(types_as_mask(input).token_type_ids == std::vector<std::int64_t>(11, 0));
    CHECK(seen(who_looks_at_whom(x, all_visible(input)), 9, 11) > 0.05);
}

// ENC-11: padding at the left, and in the middle.
TEST_CASE("who_looks_at_whom: hidden tokens get nothing wherever they are", "[ch13]") {
    BertInput input = input_of_ids({2, 7, 6, 8, 3, 2, 7, 6, 8, 3}, 2);
    input.attention_mask = Tensor{{0, 0, 1, 1, 1}, {1, 0, 1, 1, 0}};
    const Tensor weights = who_looks_at_whom(lesson_embeddings()(input), input);
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t t = 0; t < 5; ++t)
            for (std::size_t s = 0; s < 5; ++s)
                CHECK((weights(b, t, s) > Real{0}) == (input.attention_mask(b, s) == Real{1}));
}

TEST_CASE("ENC-10: a padded text looks where it looked alone", "[ch13]") {
    const Tokenizer tokenizer = lesson_tokenizer();
    std::vector<Encoding> alone{encode(tokenizer, "i like cats")};
    std::vector<Encoding> both{alone[0], encode(tokenizer, "my dog likes dogs and cats", "he is")};
    const auto looks = [](const std::vector<Encoding>& encodings) {
        const BertInput input = make_batch(encodings, 0);
        return who_looks_at_whom(lesson_embeddings()(input), input);
    };
    const Tensor expected = looks(alone);
    const Tensor found = looks(both);
    for (std::size_t t = 0; t < 5; ++t)
        for (std::size_t s = 0; s < 5; ++s)
            CHECK(found(0, t, s) == expected(0, t, s));
}

TEST_CASE("cut_off: takes the last tokens whatever they are", "[ch13]") {
    const Encoding whole = encode(lesson_tokenizer(), "dogs", "cats");
    const Encoding cut = cut_off(whole, 4);
    CHECK(cut.input_ids == std::vector<std::int64_t>{2, 7, 3, 8});
    CHECK(cut.token_type_ids == std::vector<std::int64_t>{0, 0, 0, 1});
    CHECK(cut.attention_mask.size() == 4);
    CHECK(cut.special_tokens_mask.size() == 4);
    CHECK(cut.offsets.size() == 4);
    CHECK(cut.word_ids.size() == 4);
    CHECK(cut_off(whole, 9) == whole);
}

TEST_CASE("list_table and origin_table: a column and a line a token", "[ch13]") {
    const Tokenizer tokenizer = lesson_tokenizer();
    Encoding encoding = encode(tokenizer, "he", "playing");
    pad(encoding, 7, 0);
    const WordPieceVocabulary& vocabulary = tokenizer.vocabulary();
    CHECK(token_line(encoding, vocabulary) == "[CLS] he [SEP] play ##ing [SEP] [PAD]");
    CHECK(list_table(encoding, vocabulary) ==
          "tokens           [CLS] he [SEP] play ##ing [SEP] [PAD]\n"
          "input_ids            2 14     3   16    17     3     0\n"
          "token_type_ids       0  0     0    1     1     1     0\n"
          "attention_mask       1  1     1    1     1     1     0\n");
    CHECK(origin_table(encode(tokenizer, "playing"), vocabulary) ==
          "token    type  letters  added  word\n"
          "[CLS]       0      0-0      1    -1\n"
          "play        0      0-4      0     0\n"
          "##ing       0      4-7      0     0\n"
          "[SEP]       0      0-0      1    -1\n");
}

TEST_CASE("lesson_tokenizer: has a piece for every word of Latin letters", "[ch13]") {
    const Tokenizer tokenizer = lesson_tokenizer();
    for (const Piece& piece : tokenizer("Quick zebras juggle vexing boxes"))
        CHECK(piece.id != tokenizer.special().unknown);
    CHECK(lesson_embeddings().word_embeddings.dim(0) == tokenizer.vocabulary().size());
}

TEST_CASE("input_parts: the sum is what LayerNorm gets", "[ch13]") {
    const BertEmbeddings layer = lesson_embeddings();
    const Encoding encoding = encode(lesson_tokenizer(), "my dog", "he");
    const BertInput input = make_batch(std::vector<Encoding>{encoding}, 0);
    const InputParts parts =
        input_parts(layer, input, tokens_of(encoding, lesson_tokenizer().vocabulary()));
    CHECK(parts.sum == parts.word + parts.type + parts.position);
    CHECK(layer.norm(parts.sum) == layer(input).reshaped({6, 4}));
    CHECK_THROWS_AS(input_parts(layer, input, {"a"}), ShapeError);
    CHECK_THROWS_WITH(input_parts(layer, input_of_ids({1, 2}, 2), {"a"}),
                      ContainsSubstring("input_parts: B=2"));
}

TEST_CASE("input_picture: shows each id and no text as it came", "[ch13]") {
    const BertEmbeddings layer = lesson_embeddings();
    BertInput input = input_of_ids({2, 14, 3});
    input.token_type_ids = {0, 0, 1};
    const InputParts parts = input_parts(layer, input, {"[CLS]", "<he\x1b>", "[SEP]"});
    const std::string svg = to_svg(input_picture(parts));
    for (const char* text :
         {"row 14", "row 3", "row 2", "row 1", "token", ">type<", "position", "sum", "&lt;he"})
        CHECK_THAT(svg, ContainsSubstring(text));
    CHECK(svg.find('\x1b') == std::string::npos);
    CHECK(svg == to_svg(input_picture(parts)));
    CHECK(input_table(parts).find('\x1b') == std::string::npos);
}

TEST_CASE("input_picture: the least number is violet and the greatest yellow", "[ch13]") {
    const InputParts parts{
        {"a"}, {0}, {0}, Tensor{{-3, 0}}, Tensor{{0, 1}}, Tensor{{0, 0}}, Tensor{{-3, 1}}};
    std::string cells;
    for (const auto& shape : input_picture(parts).shapes)
        if (const Box* box = std::get_if<Box>(&shape)) cells += to_hex(box->fill) + " ";
    const std::string least = to_hex(viridis(0)) + " ", most = to_hex(viridis(1)) + " ";
    const std::string zero = to_hex(viridis(0.75)) + " ";
    CHECK(cells == least + zero + zero + most + zero + zero + least + most);
}

TEST_CASE("ch13: the picture of the lesson is the one that the program writes", "[ch13]") {
    const auto folder = scratch_folder("ch13_pictures");
    CHECK(program(folder, "ch13", "--out out").code == 0);
    CHECK(content(folder / "out" / "input.svg") ==
          content(std::string{BERT_SOURCE_DIR} + "/chapters/ch13_bert_input/figures/input.svg"));
}

TEST_CASE("ch13: a text of the reader's and one that is too long", "[ch13]") {
    const auto folder = scratch_folder("ch13_options");
    const auto pair = program(folder, "ch13", "--text 'my dog' --second 'zoo'");
    CHECK(pair.code == 0);
    CHECK_THAT(pair.out, ContainsSubstring("Your text") && ContainsSubstring("##o"));
    check_refused(program(folder, "ch13", "--text 'abcdefghijklmnopqrstuvwxyz'"), 2,
                  "28 tokens, special ones included, is longer than the 16 positions");
    check_refused(program(folder, "ch13", "--second dog"), 2, "--second: needs --text");
}
