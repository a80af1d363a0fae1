#include "ch13_bert_input/encoding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch13_bert_input/lesson.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Numbers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

const Tokenizer& lesson() {
    static const Tokenizer tokenizer = lesson_tokenizer();
    return tokenizer;
}

const Tokenizer& mini() {
    static const Tokenizer tokenizer{mini_vocabulary()};
    return tokenizer;
}

Strings names(const Encoding& encoding) {
    return tokens_of(encoding, lesson().vocabulary());
}

std::string words(const std::string& word, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += word + " ";
    return text;
}

}  // namespace

TEST_CASE("N31: segments of two sentences", "[ch13]") {
    const Encoding encoding = encode(lesson(), "I like dogs", "I like cats");
    CHECK(names(encoding) ==
          Strings{"[CLS]", "i", "like", "dogs", "[SEP]", "i", "like", "cats", "[SEP]"});
    CHECK(encoding.token_type_ids == Numbers{0, 0, 0, 0, 0, 1, 1, 1, 1});
}

// The text prints [SEP] where [CLS] belongs.
TEST_CASE("N32: segments of one sentence of 7 tokens", "[ch13]") {
    const Encoding encoding = encode(lesson(), "I like dogs and cats");
    CHECK(names(encoding) == Strings{"[CLS]", "i", "like", "dogs", "and", "cats", "[SEP]"});
    CHECK(encoding.token_type_ids == Numbers(7, 0));
}

TEST_CASE("N33: a pair needs the two rows of the segment table", "[ch13]") {
    const Encoding encoding = encode(lesson(), "I like cats", "I like dogs");
    CHECK(encoding.token_type_ids == Numbers{0, 0, 0, 0, 0, 1, 1, 1, 1});
    CHECK(lesson_embeddings().token_type_embeddings.shape() == Shape{2, 4});
}

// Word 0 is "he", word 2 "playing"; places count letters of each text from its own start.
TEST_CASE("encode: places and words and what was added", "[ch13]") {
    using Place = std::pair<std::uint32_t, std::uint32_t>;
    const Encoding encoding = encode(lesson(), "He likes  playing", "My [MASK]");
    CHECK(encoding.input_ids == Numbers{2, 14, 15, 16, 17, 3, 10, 4, 3});
    CHECK(encoding.attention_mask == Numbers(9, 1));
    CHECK(encoding.special_tokens_mask == Numbers{1, 0, 0, 0, 0, 1, 0, 0, 1});
    CHECK(encoding.offsets ==
          std::vector<Place>{
              {0, 0}, {0, 2}, {3, 8}, {10, 14}, {14, 17}, {0, 0}, {0, 2}, {3, 9}, {0, 0}});
    CHECK(encoding.word_ids == std::vector<std::int32_t>{-1, 0, 1, 2, 2, -1, 0, 1, -1});
}

TEST_CASE("encode: special tokens that the text spells out are not those that were added",
          "[ch13]") {
    const Encoding encoding = encode(lesson(), "i [SEP] like", "[PAD] cats");
    CHECK(names(encoding) ==
          Strings{"[CLS]", "i", "[SEP]", "like", "[SEP]", "[PAD]", "cats", "[SEP]"});
    CHECK(encoding.token_type_ids == Numbers{0, 0, 0, 0, 0, 1, 1, 1});
    CHECK(encoding.special_tokens_mask == Numbers{1, 0, 0, 0, 1, 0, 0, 1});
    CHECK(encoding.attention_mask == Numbers(8, 1));
}

// VT30 and VT31.
TEST_CASE("encode: no text is two special tokens and an empty second one has its own", "[ch13]") {
    CHECK(encode(lesson(), "").input_ids == Numbers{2, 3});
    CHECK(encode(lesson(), " \t ").input_ids == Numbers{2, 3});
    const Encoding pair = encode(lesson(), "i", "");
    CHECK(pair.input_ids == Numbers{2, 5, 3, 3});
    CHECK(pair.token_type_ids == Numbers{0, 0, 0, 1});
    CHECK(encode(lesson(), "", {}, {.add_special_tokens = false}).length() == 0);
}

TEST_CASE("ENC-01: a pair padded to 8", "[ch13]") {
    const Encoding encoding =
        encode(mini(), "the cat", "sat", {.max_length = 8, .padding = Padding::max_length});
    CHECK(encoding.input_ids == Numbers{2, 120, 121, 3, 122, 3, 0, 0});
    CHECK(encoding.token_type_ids == Numbers{0, 0, 0, 0, 1, 1, 0, 0});
    CHECK(encoding.attention_mask == Numbers{1, 1, 1, 1, 1, 1, 0, 0});
    CHECK(encoding.special_tokens_mask == Numbers{1, 0, 0, 1, 0, 1, 1, 1});
    CHECK(encoding.word_ids == std::vector<std::int32_t>{-1, 0, 1, -1, 0, -1, -1, -1});
    CHECK(encoding.offsets[7] == std::pair<std::uint32_t, std::uint32_t>{0, 0});
}

// A pair has three special tokens, so 64 hold 61 others: 30 and 31.
TEST_CASE("ENC-05: a pair of 60 and 60 tokens in 64", "[ch13]") {
    const Encoding encoding = encode(mini(), words("cat", 60), words("dog", 60),
                                     {.max_length = 64, .truncation = Truncation::longest_first});
    CHECK(encoding.length() == 64);
    CHECK(encoding.token_type_ids[31] == 0);
    CHECK(encoding.input_ids[31] == 3);
    CHECK(encoding.token_type_ids[32] == 1);
    CHECK(encoding.input_ids[63] == 3);
}

TEST_CASE("ENC-04: an empty side or no room but for special tokens", "[ch13]") {
    EncodingOptions options{.max_length = 512, .truncation = Truncation::longest_first};
    const Encoding encoding = encode(mini(), "", words("dog", 600), options);
    CHECK(encoding.length() == 512);
    CHECK(encoding.input_ids[1] == 3);
    CHECK(encoding.input_ids[511] == 3);
    options.max_length = 3;
    CHECK(encode(mini(), "the cat", "a dog", options).input_ids == Numbers{2, 3, 3});
    for (const std::size_t too_small : {2U, 1U, 0U}) {
        options.max_length = too_small;
        CHECK_THROWS_WITH(encode(mini(), "the cat", "a dog", options),
                          ContainsSubstring("max_length (found " + std::to_string(too_small) +
                                            ", expected at least 3: [CLS] and two [SEP])"));
    }
    options.max_length = 1;
    CHECK_THROWS_WITH(encode(mini(), "the cat", {}, options),
                      ContainsSubstring("(found 1, expected at least 2: [CLS] and [SEP])"));
    options.add_special_tokens = false;
    CHECK(encode(mini(), "the cat", {}, options).input_ids == Numbers{120});
}

TEST_CASE("encode: max_length is that of the tokenizer where none is given", "[ch13]") {
    const EncodingOptions options{.truncation = Truncation::longest_first};
    CHECK_THROWS_WITH(encode(mini(), "the cat", {}, options), ContainsSubstring("found none"));
    CHECK_THROWS_AS(encode(mini(), "the cat", {}, {.padding = Padding::max_length}),
                    std::invalid_argument);
    const Tokenizer limited{mini_vocabulary(), {.model_max_length = 4}};
    CHECK(encode(limited, "the cat sat on", {}, options).input_ids == Numbers{2, 120, 121, 3});
    CHECK(encode(limited, "the", {}, {.padding = Padding::max_length}).input_ids ==
          Numbers{2, 120, 3, 0});
    CHECK(encode(limited, "the cat sat on").length() == 6);
}

TEST_CASE("pad: what is longer stays and nobody pads without end", "[ch13]") {
    const Encoding encoding =
        encode(mini(), "the cat sat", {}, {.max_length = 3, .padding = Padding::max_length});
    CHECK(encoding == encode(mini(), "the cat sat"));
    Encoding padded = encoding;
    CHECK_THROWS_WITH(pad(padded, most_padded_length + 1, 0),
                      ContainsSubstring("found 1048577, expected at most 1048576"));
    pad(padded, 7, 6);
    CHECK(padded.input_ids == Numbers{2, 120, 121, 122, 3, 6, 6});
}

TEST_CASE("tokens_of: an id outside the vocabulary is refused", "[ch13]") {
    Encoding encoding;
    encoding.input_ids = {2, 228};
    CHECK_THROWS_AS(tokens_of(encoding, mini().vocabulary()), std::invalid_argument);
    encoding.input_ids = {-1};
    CHECK_THROWS_WITH(tokens_of(encoding, mini().vocabulary()),
                      "tokens_of: token id (found -1, expected one of [0, 228))");
    encoding.input_ids = {std::int64_t{1} << 32};
    CHECK_THROWS_AS(tokens_of(encoding, mini().vocabulary()), std::invalid_argument);
}
