#include <filesystem>
#include <string>

#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "ch12_wordpiece/tokenizer_config.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "tests/ch12_wordpiece/pieces.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

std::string config_file(const std::string& json) {
    const std::string path = (scratch_folder("ch12_config") / "tokenizer_config.json").string();
    write_file(path, json);
    return path;
}

TokenizerOptions options_of(const std::string& json) {
    return read_tokenizer_config(config_file(json));
}

void check_refused_config(const std::string& json, const std::string& message) {
    const std::string path = config_file(json);
    CHECK_THROWS_AS(read_tokenizer_config(path), FileError);
    CHECK_THROWS_WITH(read_tokenizer_config(path), ContainsSubstring(path + ": "));
    CHECK_THROWS_WITH(read_tokenizer_config(path), ContainsSubstring(message));
}

}  // namespace

TEST_CASE("read_tokenizer_config: what is missing has its default", "[ch12]") {
    const TokenizerOptions options = options_of("{}");
    CHECK(options.lower_case);
    CHECK_FALSE(options.strip_accents);
    CHECK(options.space_chinese);
    CHECK(options.unknown_token == "[UNK]");
    CHECK(options.mask_token == "[MASK]");
    CHECK(options.additional_special_tokens.empty());
    CHECK_FALSE(options.model_max_length);
}

// As transformers 4.3 wrote it.
TEST_CASE("read_tokenizer_config: the values of an older file", "[ch12]") {
    const TokenizerOptions options = options_of(
        R"({"do_lower_case": false, "unk_token": "<unk>", "sep_token": "</s>",
            "pad_token": {"content": "<pad>", "lstrip": false, "__type": "AddedToken"},
            "cls_token": "<s>", "mask_token": {"content": "<mask>"},
            "tokenize_chinese_chars": false, "strip_accents": true, "never_split": null,
            "name_or_path": "x", "tokenizer_class": "BertTokenizer", "model_max_length": 512,
            "additional_special_tokens": ["<a>", {"content": "<b>"}, "<a>", "<s>"]})");
    CHECK_FALSE(options.lower_case);
    CHECK(options.strip_accents == true);
    CHECK_FALSE(options.space_chinese);
    CHECK(options.unknown_token == "<unk>");
    CHECK(options.cls_token == "<s>");
    CHECK(options.sep_token == "</s>");
    CHECK(options.mask_token == "<mask>");
    CHECK(options.pad_token == "<pad>");
    CHECK(options.model_max_length == 512U);
    CHECK(options.additional_special_tokens == Strings{"<a>", "<b>"});
}

// As transformers 4.40 and 5 write it.
TEST_CASE("read_tokenizer_config: the values of newer files", "[ch12]") {
    const TokenizerOptions four = options_of(
        R"({"added_tokens_decoder": {
              "0": {"content": "[PAD]", "lstrip": false, "normalized": false, "special": true},
              "6": {"content": "[unused1]", "normalized": false, "special": true}},
            "clean_up_tokenization_spaces": true, "do_lower_case": true, "extra_special_tokens": {},
            "model_max_length": 1000000000000000019884624838656, "strip_accents": null})");
    CHECK(four.additional_special_tokens == Strings{"[unused1]"});
    CHECK_FALSE(four.model_max_length);
    CHECK_FALSE(four.strip_accents);
    const TokenizerOptions five = options_of(
        R"({"backend": "tokenizers", "do_lower_case": true, "model_max_length": 1e30,
            "strip_accents": false, "extra_special_tokens": ["[E]"]})");
    CHECK(five.strip_accents == false);
    CHECK(five.additional_special_tokens == Strings{"[E]"});
    CHECK_FALSE(five.model_max_length);
    CHECK_FALSE(options_of(R"({"model_max_length": null})").model_max_length);
    CHECK(options_of(R"({"extra_special_tokens": {"end": "[E]"}})").additional_special_tokens ==
          Strings{"[E]"});
}

TEST_CASE("read_tokenizer_config: the list of added tokens says last what a token takes",
          "[ch12]") {
    const std::string strips = R"("mask_token": {"content": "[MASK]", "rstrip": true})";
    CHECK(options_of("{" + strips + "}").blanks_taken.at("[MASK]").after);
    CHECK_FALSE(
        options_of("{" + strips + R"(, "added_tokens_decoder": {"4": {"content": "[MASK]"}}})")
            .blanks_taken.at("[MASK]")
            .after);
}

TEST_CASE("read_tokenizer_config: bad files are refused", "[ch12]") {
    check_refused_config("", "not JSON");
    check_refused_config("[]", "an object");
    check_refused_config("{", "not JSON");
    check_refused_config(R"({"do_lower_case": "true"})", "do_lower_case");
    check_refused_config(R"({"do_lower_case": 1})", "do_lower_case");
    check_refused_config(R"({"do_lower_case": null})", "do_lower_case");
    check_refused_config(R"({"do_lower_case": true, "do_lower_case": false})", "do_lower_case");
    check_refused_config(R"({"strip_accents": 0})", "strip_accents");
    check_refused_config(R"({"tokenize_chinese_chars": []})", "tokenize_chinese_chars");
    check_refused_config(R"({"mask_token": null})", "mask_token");
    check_refused_config(R"({"mask_token": 103})", "mask_token");
    check_refused_config(R"({"mask_token": ""})", "an empty token");
    check_refused_config(R"({"mask_token": {"lstrip": true}})", "content");
    check_refused_config(R"({"mask_token": {"content": 3}})", "mask_token.content");
    check_refused_config(R"({"mask_token": {"content": {"content": "x"}}})", "mask_token.content");
    check_refused_config(R"({"model_max_length": 0})", "not a length");
    check_refused_config(R"({"model_max_length": -512})", "not a length");
    check_refused_config(R"({"model_max_length": 1.5})", "not a length");
    check_refused_config(R"({"model_max_length": "512"})", "model_max_length");
    check_refused_config(R"({"padding_side": "left"})", "padding_side");
    check_refused_config(R"({"truncation_side": "left"})", "truncation_side");
    check_refused_config(R"({"additional_special_tokens": "x"})", "a list of tokens");
    check_refused_config(R"({"additional_special_tokens": [1]})", "additional_special_tokens[0]");
    check_refused_config(R"({"added_tokens_decoder": []})", "added_tokens_decoder");
    check_refused_config(R"({"added_tokens_decoder": {"7": "x"}})", "added_tokens_decoder");
    check_refused_config(R"({"added_tokens_decoder": {"7": {"content": "x", "normalized": true}}})",
                         "tokens found after normalising are not supported");
    check_refused_config(R"({"mask_token": {"content": "x", "normalized": true}})",
                         "mask_token.normalized: tokens found after normalising");
    check_refused_config(
        R"({"added_tokens_decoder": {"7": {"content": "x", "single_word": true}}})",
        "added_tokens_decoder.7.single_word: tokens found only between words");
    CHECK_THROWS_AS(read_tokenizer_config("/not/there.json"), IoError);
}

TEST_CASE("from_folder: vocab.txt and what the config says of it", "[ch12]") {
    const std::filesystem::path folder = scratch_folder("ch12_folder");
    CHECK_THROWS_AS(Tokenizer::from_folder(folder.string()), IoError);
    mini_vocabulary().write((folder / "vocab.txt").string());
    // ggml-org/llama.cpp#18756, #23899; CyberZHG/keras-bert#41 (TOK-29).
    CHECK(ids_of(Tokenizer::from_folder(folder.string())("Paris")) == Ids{22, 33, 50, 41, 51});
    write_file((folder / "tokenizer_config.json").string(),
               R"({"do_lower_case": false, "model_max_length": 128})");
    const Tokenizer cased = Tokenizer::from_folder(folder.string());
    CHECK(ids_of(cased("Hello Paris")) == Ids{225, 226});
    CHECK(cased.options().model_max_length == 128U);
    write_file((folder / "tokenizer_config.json").string(), R"({"cls_token": "[START]"})");
    CHECK_THROWS_AS(Tokenizer::from_folder(folder.string()), FileError);
    CHECK_THROWS_WITH(Tokenizer::from_folder(folder.string()), ContainsSubstring("\"[START]\""));
}

// As transformers 5.24 does.
TEST_CASE("from_folder: special_tokens_map.json counts without added_tokens_decoder", "[ch12]") {
    const std::filesystem::path folder = scratch_folder("ch12_map");
    mini_vocabulary().write((folder / "vocab.txt").string());
    const auto options_with = [&](const std::string& config) {
        write_file((folder / "tokenizer_config.json").string(), config);
        return Tokenizer::from_folder(folder.string()).options();
    };
    write_file((folder / "special_tokens_map.json").string(),
               R"({"mask_token": {"content": "hello", "lstrip": true}, "cls_token": "[CLS]",
                   "additional_special_tokens": ["the", "world"]})");
    const TokenizerOptions both = options_with(
        R"({"mask_token": "[SEP]", "do_lower_case": false, "extra_special_tokens": ["world"]})");
    CHECK(both.mask_token == "hello");
    CHECK(both.cls_token == "[CLS]");
    CHECK(both.blanks_taken.at("hello").before);
    CHECK_FALSE(both.blanks_taken.at("hello").after);
    CHECK_FALSE(both.lower_case);
    CHECK(both.additional_special_tokens == Strings{"the", "world"});
    const TokenizerOptions newer = options_with(R"({"added_tokens_decoder": {}})");
    CHECK(newer.mask_token == "[MASK]");
    CHECK(newer.additional_special_tokens.empty());
    std::filesystem::remove(folder / "tokenizer_config.json");
    CHECK(Tokenizer::from_folder(folder.string()).options().mask_token == "hello");
    write_file((folder / "special_tokens_map.json").string(),
               R"({"mask_token": {"content": "hello", "single_word": true}})");
    CHECK_THROWS_WITH(Tokenizer::from_folder(folder.string()),
                      ContainsSubstring("special_tokens_map.json: mask_token.single_word: "));
}

TEST_CASE("from_folder: says how vocab.txt is made where there is only tokenizer.json", "[ch12]") {
    const std::filesystem::path folder = scratch_folder("ch12_only_json");
    write_file((folder / "tokenizer.json").string(), "{}");
    CHECK_THROWS_AS(Tokenizer::from_folder(folder.string()), FileError);
    CHECK_THROWS_WITH(Tokenizer::from_folder(folder.string()),
                      ContainsSubstring("vocab.txt: no vocabulary (found only tokenizer.json"));
}
