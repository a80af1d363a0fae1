#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch12_wordpiece/plain_tokenize.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "common/io/npz.hpp"
#include "common/io/utf8.hpp"
#include "tests/ch12_wordpiece/pieces.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Numbers = std::vector<std::int64_t>;

// Each code point from U+0021 to U+33FF as a word and as a continuation.
WordPieceVocabulary rule_vocabulary() {
    Strings tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    for (char32_t c = 0x21; c < 0x3400; ++c) {
        for (std::string token : {"", "##"}) {
            append_utf8(token, c);
            tokens.push_back(token);
        }
    }
    return WordPieceVocabulary{tokens};
}

const std::map<std::string, NpyArray>& arrays() {
    static const auto all =
        read_npz(std::string{BERT_SOURCE_DIR} + "/data/golden/ch12_tokenizer.npz");
    return all;
}

Numbers numbers(const std::string& name) {
    return arrays().at(name).to_ints();
}

// Lower case; strip accents, 2 for as lower case; space Chinese.
TokenizerOptions options_of(std::int64_t lower, std::int64_t strip, std::int64_t chinese) {
    TokenizerOptions options{.lower_case = lower == 1, .space_chinese = chinese == 1};
    if (strip != 2) options.strip_accents = strip == 1;
    return options;
}

// The tokenizers of the file, made once each.
const Tokenizer& tokenizer_of(std::int64_t vocabulary, const TokenizerOptions& options) {
    static std::map<std::string, Tokenizer> made;
    std::string key = std::to_string(vocabulary) + (options.lower_case ? "l" : "-") +
                      (options.space_chinese ? "c" : "-");
    if (options.strip_accents) key += *options.strip_accents ? "s" : "k";
    const auto found = made.find(key);
    if (found != made.end()) return found->second;
    return made
        .emplace(key, Tokenizer{vocabulary == 0 ? mini_vocabulary() : rule_vocabulary(), options})
        .first->second;
}

}  // namespace

TEST_CASE("Tokenizer: ids and places and words are Hugging Face's", "[ch12]") {
    const std::string bytes{arrays().at("bytes").bytes()};
    const Numbers lengths = numbers("lengths");
    const Numbers settings = numbers("settings");
    const Numbers vocabularies = numbers("vocabularies");
    const Numbers counts = numbers("piece_counts");
    const Numbers rows = numbers("pieces");
    REQUIRE(lengths.size() > 2500);
    std::size_t begin = 0;
    std::size_t row = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::string text = bytes.substr(begin, static_cast<std::size_t>(lengths[i]));
        begin += text.size();
        std::vector<Piece> expected;
        for (std::int64_t k = 0; k < counts[i]; ++k, row += 5) {
            expected.push_back({static_cast<TokenId>(rows[row] + 256 * rows[row + 1]),
                                static_cast<std::uint32_t>(rows[row + 2]),
                                static_cast<std::uint32_t>(rows[row + 3]),
                                static_cast<std::int32_t>(rows[row + 4])});
        }
        const Tokenizer& tokenizer = tokenizer_of(
            vocabularies[i], options_of(settings[3 * i], settings[3 * i + 1], settings[3 * i + 2]));
        INFO("text " << i << ": " << text);
        CHECK(tokenizer(text) == expected);
    }
    CHECK(begin == bytes.size());
    CHECK(row == rows.size());
}

TEST_CASE("decode: texts are Hugging Face's", "[ch12]") {
    const Tokenizer tokenizer{mini_vocabulary()};
    const Numbers all_ids = numbers("decoded_ids");
    const Numbers lengths = numbers("decoded_lengths");
    const Strings with = arrays().at("decoded").to_strings();
    const Strings without = arrays().at("decoded_without_special").to_strings();
    REQUIRE(with.size() == 3 * lengths.size());
    auto begin = all_ids.begin();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const Ids ids(begin, begin + lengths[i]);
        begin += lengths[i];
        std::size_t column = 3 * i;
        for (const CleanUp clean_up : {CleanUp::none, CleanUp::each_token, CleanUp::whole_text}) {
            CHECK(tokenizer.decode(ids, false, clean_up) == with[column]);
            CHECK(tokenizer.decode(ids, true, clean_up) == without[column]);
            ++column;
        }
    }
}
