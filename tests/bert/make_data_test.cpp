// bert make-data: what it writes, shows and refuses.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ch15_pretraining/pretraining_data.hpp"
#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;
namespace fs = std::filesystem;

namespace {

const char* const some_corpus =
    "the cats sat on a mat .\na dog ran .\ntime flies like an arrow .\n\n"
    "the dog sat .\nthe cat ran !\nthe dog ran like an arrow .\n\n"
    "time flies .\na cat flies on the mat .\n";

// A folder with a vocabulary, as make-data needs it, and a corpus.
fs::path data_folder(const std::string& name) {
    const fs::path folder = scratch_folder(name);
    write(folder / "vocab.txt", tiny_vocabulary);
    write(folder / "corpus.txt", some_corpus);
    return folder;
}

Outcome make_data(const fs::path& folder, const std::string& arguments) {
    return bert_in(folder, "make-data", arguments);
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator{folder})
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

TEST_CASE("bert make-data: writes examples and says how many", "[bert]") {
    const fs::path folder = data_folder("make-data");
    const Outcome outcome = make_data(folder, "--out data --max-length 16 --seed 3 corpus.txt");
    CHECK(outcome.code == 0);
    CHECK(outcome.out.empty());
    const PretrainingData data{(folder / "data").string()};
    const PretrainingFacts& facts = data.facts();
    CHECK(facts.vocabulary_sha256 == sha256(tiny_vocabulary));
    CHECK(facts.corpus_sha256 == std::vector<std::string>{sha256(some_corpus)});
    CHECK(facts.vocab_size == 24);
    CHECK(facts.max_length == 16);
    CHECK(facts.duplicates == 5);
    CHECK(facts.seed == 3);
    CHECK(facts.sentences == 8);
    CHECK(facts.documents == 3);
    CHECK(facts.masking == MaskingOptions{});
    std::size_t tokens = 0;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const PretrainingExample example = data.example(i);
        tokens += example.tokens.size();
        chosen += example.positions.size();
        CHECK(example.tokens.front() == 2);
        CHECK(example.tokens.size() <= 16);
    }
    CHECK_THAT(outcome.err, ContainsSubstring("wrote data: 8 sentences in 3 documents make " +
                                              std::to_string(data.size()) + " examples ("));
    CHECK_THAT(outcome.err, ContainsSubstring("of " + std::to_string(tokens) + " tokens, " +
                                              std::to_string(chosen) + " to guess\n"));
    CHECK(names_in(folder) == std::vector<std::string>{"corpus.txt", "data", "vocab.txt"});
}

TEST_CASE("bert make-data: the same bytes for the same seed and any threads", "[bert]") {
    const fs::path folder = data_folder("make-data-same");
    const std::string rest = " --max-length 16 --quiet corpus.txt";
    CHECK(make_data(folder, "--out a --threads 1" + rest).err.empty());
    CHECK(make_data(folder, "--out b --threads 2" + rest).code == 0);
    CHECK(make_data(folder, "--out c --seed 2" + rest).code == 0);
    CHECK(make_data(folder, "--out d --whole-words" + rest).code == 0);
    CHECK(make_data(folder, "--out e --dynamic-masking" + rest).code == 0);
    CHECK(content(folder / "a") == content(folder / "b"));
    CHECK(content(folder / "a") != content(folder / "c"));
    CHECK(PretrainingData{(folder / "d").string()}.facts().masking.whole_words);
    const PretrainingData dynamic{(folder / "e").string()};
    CHECK(dynamic.facts().dynamic_masking);
    CHECK(dynamic.example(0).positions.empty());
    // A vocabulary with another tokenizer_config.json gives other examples.
    write(folder / "tokenizer_config.json", R"({"do_lower_case": false})");
    write(folder / "corpus.txt", std::string{some_corpus} + "THE DOG .\n");
    CHECK(make_data(folder, "--out f" + rest).code == 0);
    const PretrainingData cased{(folder / "f").string()};
    std::size_t unknown = 0;
    for (std::size_t i = 0; i < cased.size(); ++i)
        for (const TokenId token : cased.example(i).tokens)
            unknown += token == 1 ? 1 : 0;
    CHECK(unknown > 0);
}

TEST_CASE("bert make-data: --show prints examples as made and of a file", "[bert]") {
    const fs::path folder = data_folder("make-data-show");
    const std::string rest = " --max-length 16 corpus.txt";
    const Outcome made = make_data(folder, "--show 2" + rest);
    CHECK(made.code == 0);
    CHECK(made.err.empty());
    CHECK(made.out.starts_with("example 0: "));
    CHECK_THAT(made.out, ContainsSubstring("\n\nexample 1: "));
    CHECK_THAT(made.out, ContainsSubstring("\nA text   [CLS] "));
    CHECK_THAT(made.out, ContainsSubstring("\n  reads  [CLS] "));
    CHECK_THAT(made.out, ContainsSubstring("\n  guess "));
    CHECK_THAT(made.out, ContainsSubstring("; B "));
    CHECK(made.out.find("example 2") == std::string::npos);
    CHECK(names_in(folder) == std::vector<std::string>{"corpus.txt", "vocab.txt"});
    const Outcome both = make_data(folder, "--show 2 --out data" + rest);
    CHECK(both.out == made.out);
    CHECK(make_data(folder, "--show 2 data").out == made.out);
    const auto size = PretrainingData{(folder / "data").string()}.size();
    const std::string all = make_data(folder, "--show 1000 data").out;
    CHECK_THAT(all, ContainsSubstring("example " + std::to_string(size - 1) + ": "));
    write(folder / "vocab.txt", std::string{tiny_vocabulary} + "more\n");
    check_refused(make_data(folder, "--show 2 data"), 3,
                  "data: facts: made with another vocabulary");
}

TEST_CASE("bert make-data: wrong options are usage errors before any work", "[bert]") {
    const fs::path folder = data_folder("make-data-usage");
    const auto refused = [&](const std::string& arguments, const std::string& message) {
        INFO(arguments);
        check_refused(make_data(folder, arguments), 2, message);
    };
    refused("corpus.txt", "--out FILE is missing (or --show N)");
    refused("--out data", "no CORPUS");
    refused("--out corpus.txt corpus.txt", "corpus.txt is the input ./corpus.txt");
    refused("--out ./corpus.txt corpus.txt", "is the input ./corpus.txt");
    refused("--out vocab.txt corpus.txt", "is the input");
    fs::create_directory(folder / "sub");
    write(folder / "sub/text", some_corpus);
    refused("--out sub/../sub/text corpus.txt sub/text", "is the input sub/text");
    fs::remove_all(folder / "sub");
    refused("--out none/data corpus.txt", "there is no folder none");
    refused("--out . corpus.txt", "is a folder");
    for (const char* const bad : {"0", "-1", "1", "1.5", "nan", "inf", "1e400", "0x1p-3", "0.1x"})
        refused("--out data corpus.txt --mask-prob=" + std::string{bad}, "--mask-prob: ");
    for (const char* const bad : {"-0.1", "1.1", "nan"})
        refused("--out data corpus.txt --short-seq-prob=" + std::string{bad}, "--short-seq-prob: ");
    for (const char* const option : {"--duplicates", "--max-predictions", "--show"})
        for (const char* const bad : {"0", "-5", "99999999999999999999", "12abc"})
            refused("--out data corpus.txt " + std::string{option} + "=" + bad,
                    std::string{option} + ": not a whole number in range");
    for (const char* const bad : {"-5", "99999999999999999999", "12abc", "65537"})
        refused("--out data corpus.txt --max-length=" + std::string{bad}, "--max-length: ");
    for (const char* const bad : {"-1", "99999999999999999999", "one"})
        refused("--out data corpus.txt --seed=" + std::string{bad}, "--seed: ");
    CHECK(names_in(folder) == std::vector<std::string>{"corpus.txt", "vocab.txt"});
    CHECK(make_data(folder, "--out data corpus.txt --short-seq-prob 0 --mask-prob 0.9").code == 0);
    CHECK(make_data(folder, "--out data corpus.txt --short-seq-prob 1 --max-length 5").code == 0);
}

TEST_CASE("bert make-data: a corpus that gives no example is refused in one line", "[bert]") {
    const fs::path folder = data_folder("make-data-corpus");
    const auto refused = [&](std::string_view text, const std::string& message) {
        write(folder / "bad.txt", text);
        check_refused(make_data(folder, "--out data bad.txt"), 3, message);
        CHECK_FALSE(fs::exists(folder / "data"));
    };
    refused("", "bad.txt: file: the corpus has no sentences");
    refused("\n\n \n", "bad.txt: file: the corpus has no sentences");
    refused("the cat sat .\n", "found 1 sentence in 1 document");
    refused("the cat sat .\nthe dog ran .\n", "found 2 sentences in 1 document");
    refused({"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16}, "bad.txt: byte 8: not UTF-8 text");
    refused(std::string((1 << 20) + 1, 'a'), "bad.txt: line 1: too long");
    check_refused(make_data(folder, "--out data none.txt"), 4, "none.txt");
    for (const char* const length : {"0", "4"})
        check_refused(
            make_data(folder, "--out data corpus.txt --max-length " + std::string{length}), 3,
            "--max-length: no room for [CLS] A [SEP] B [SEP] (found ");
    write(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n");
    check_refused(make_data(folder, "--out data corpus.txt"), 3, "\"[MASK]\"");
    write(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n");
    check_refused(make_data(folder, "--out data corpus.txt"), 3,
                  "5 special tokens, expected others");
}

TEST_CASE("bert make-data: bad UTF-8 is said once", "[bert]") {
    const fs::path folder = data_folder("make-data-utf8");
    std::string text = some_corpus;
    for (int i = 0; i < 20; ++i)
        text += some_corpus;
    write(folder / "corpus.txt", "the \xff dog .\na \xfe cat .\n\n" + text);
    const Outcome outcome = make_data(folder, "--out data corpus.txt");
    CHECK(outcome.code == 0);
    CHECK(outcome.err.starts_with("warning: the corpus: 2 parts are not UTF-8, read as U+FFFD\n"));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 2);
    CHECK(make_data(folder, "--out data --quiet corpus.txt").err.empty());
}
