// What all commands share: help, options, exit codes, signals, standard output that fails.
#include <iterator>
#include <sstream>
#include <string>

#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

using namespace bert;
using namespace bert::test;

namespace {

const std::string bert_program = "'" + std::string{BERT_BINARY_DIR} + "/bert' ";

}  // namespace

TEST_CASE("bert: help and version", "[bert]") {
    const Outcome help = shell("./bert --help");
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    CHECK(help.out.find("Examples:") < help.out.find("Commands"));
    for (const char* command :
         {"tokenize", "train-vocab", "encode", "embed", "fill-mask", "next-sentence", "attention",
          "inspect", "convert", "split-sentences", "make-data", "pretrain", "eval", "bench"}) {
        CHECK_THAT(help.out, ContainsSubstring(std::string{"\n  "} + command + " "));
        const Outcome own = shell(std::string{"./bert "} + command + " --help");
        CHECK(own.code == 0);
        CHECK_THAT(own.out, ContainsSubstring("Examples:\n  bert " + std::string{command}));
        CHECK_THAT(own.out, ContainsSubstring("--threads N"));
        CHECK(own.out == shell(std::string{"./bert help "} + command).out);
    }
    for (const char* command : {"tokenize", "encode", "embed", "attention"})
        CHECK_THAT(shell(std::string{"./bert "} + command + " --help").out,
                   ContainsSubstring("The texts, A<TAB>B a pair;"));
    CHECK(shell("./bert --version").out.starts_with("attention-to-bert "));
    CHECK(shell("./bert embed --version").out == shell("./bert --version").out);
    CHECK(shell(bert_program + "help").out == help.out);
}

TEST_CASE("bert: wrong words are refused with the nearest right one", "[bert]") {
    check_refused(shell("./bert"), 2, "a command is missing");
    check_refused(shell("./bert --quiet"), 2, "a command is missing");
    check_refused(shell("./bert embedd"), 2, "did you mean embed?");
    check_refused(shell("./bert fillmask"), 2, "did you mean fill-mask?");
    check_refused(shell("./bert pretrian"), 2, "did you mean pretrain?");
    check_refused(shell("./bert compress"), 2, "unknown command compress");
    check_refused(shell("./bert embed --modle x"), 2, "did you mean --model?");
    check_refused(shell("./bert embed --pooling=mean --pooling=cls"), 2, "given twice");
    check_refused(shell("./bert embed --model"), 2, "its value is missing");
    check_refused(shell("./bert embed --model ''"), 2, "--model: empty");
    check_refused(shell("./bert embed --json=yes"), 2, "takes no value");
    check_refused(shell("./bert embed -x"), 2, "after --");
    check_refused(shell("./bert convert a b"), 2, "unexpected a");
    check_refused(shell("./bert embed \"$(printf '\\033[31m')\" --modl"), 2, "--model");
}

TEST_CASE("bert: an output named - is refused", "[bert]") {
    const auto folder = tiny_model("bert-dash");
    const char* const hint = "--out: - names no file (./- is one of that name";
    check_refused(bert_in(folder, "encode", "a --out -"), 2, hint);
    check_refused(bert_in(folder, "attention", "a --format npz --out -"), 2, hint);
    check_refused(bert_in(folder, "convert", "--out -"), 2, hint);
    check_refused(program(folder, "bert", "train-vocab --size 30 --out - vocab.txt"), 2, hint);
    CHECK_FALSE(std::filesystem::exists(folder / "-"));
    CHECK(bert_in(folder, "attention", "a --format npz --out ./-").code == 0);
    CHECK(std::filesystem::exists(folder / "-"));
}

TEST_CASE("bert: what standard input reads is not written over", "[bert]") {
    const auto folder = tiny_model("bert-input-over");
    const char* const message = "--out: in.npz is what standard input reads";
    for (const char* line : {"encode --out in.npz -", "encode --out in.npz",
                             "encode --out in.npz --text-file -", "encode --out in.npz --input -",
                             "attention --out in.npz -", "attention --out in.npz --summary"}) {
        INFO(line);
        write(folder / "in.npz", "the cat\n");
        check_refused(bert_in(folder, line, "< in.npz"), 2, message);
        CHECK(content(folder / "in.npz") == "the cat\n");
    }
    // Standard input that nobody reads, and an output that is no file.
    CHECK(bert_in(folder, "encode", "--out in.npz a < in.npz").code == 0);
    write(folder / "in.npz", "the cat\n");
    CHECK(bert_in(folder, "encode", "--out /dev/null < in.npz").code == 0);
}

TEST_CASE("bert: threads out of range are refused", "[bert]") {
    const auto folder = tiny_model("bert-threads");
    for (const char* threads : {"0", "-1", "100000", "99999999999999999999", "two", "1.5"}) {
        check_refused(bert_in(folder, "tokenize", std::string{"a --threads "} + threads), 2,
                      "--threads");
    }
    check_refused(shell("OMP_NUM_THREADS=100000 ./bert --version"), 2, "OMP_NUM_THREADS");
    check_refused(shell("BERT_MATMUL=fast ./bert --version"), 2, "BERT_MATMUL");
    CHECK(program(folder, "bert", "--threads 2 --model . tokenize --ids a").out == "2 11 3\n");
}

TEST_CASE("bert: threads that the system does not give are one line of error", "[bert]") {
    if constexpr (sanitized) return;
    const auto folder = tiny_model("bert-no-threads");
    const std::string limit = "cd '" + folder.string() + "'; ulimit -v 1000000; ";
    const std::string embed = bert_program + "embed --model . 'the cat'";
    check_refused(shell(limit + embed + " --threads 1024"), 4, "cannot start 1024 threads");
    check_refused(shell(limit + "OMP_NUM_THREADS=1000 " + embed), 4, "cannot start 1000 threads");
    check_refused(shell(limit + "OMP_NUM_THREADS=1000 '" BERT_BINARY_DIR "/bin/ch01'"), 4,
                  "cannot start 1000 threads");
    CHECK(shell(limit + embed + " --threads 1").code == 0);
}

TEST_CASE("bert: whatever the limit on addresses it works or says that memory ended", "[bert]") {
    if constexpr (sanitized) return;
    int code = -1;
    for (int limit = 70'000; limit <= 310'000; limit += 12'000) {
        const Outcome outcome = shell("ulimit -v " + std::to_string(limit) +
                                      "; ./bert bench forward --size tiny --repeat 1 --threads 4");
        code = outcome.code;
        INFO(limit << " KiB: " << code << " " << outcome.err);
        CHECK((code == 0 || code == 4));
        CHECK(outcome.err.empty() == (code == 0));
    }
    CHECK(code == 0);
}

TEST_CASE("bert: without --model the message names it", "[bert]") {
    if (std::filesystem::exists(std::string{BERT_SOURCE_DIR} + "/data/models/bert")) return;
    check_refused(shell("./bert tokenize a"), 2, "--model DIR");
}

TEST_CASE("bert: standard output that fails is exit code 4", "[bert]") {
    const auto folder = tiny_model("bert-output");
    const std::string tokenize = bert_program + "tokenize --model '" + folder.string() + "' a";
    CHECK(shell(tokenize + " >/dev/full").code == 4);
    CHECK(shell(tokenize + " >&-").code == 4);
    CHECK(shell(bert_program + "--help >/dev/full").code == 4);
    // Endless input: the program has to notice at once that nobody reads what it writes.
    const Outcome cut = shell("{ yes the cat | timeout 60 " + bert_program + "tokenize --model '" +
                              folder.string() + "' - ; echo code $? >&2; } | head -n 1");
    CHECK(cut.out == "[CLS] the cat [SEP]\n");
    CHECK_THAT(cut.err, ContainsSubstring("Broken pipe"));
    CHECK_THAT(cut.err, ContainsSubstring("code 4"));
}

TEST_CASE("bert: a signal ends it while it waits and while it works", "[bert]") {
    const auto folder = tiny_model("bert-signal");
    const std::string tokenize = bert_program + "tokenize --model '" + folder.string() + "' -";
    const Outcome waiting = shell(
        "mkfifo '" + folder.string() + "/pipe'; sleep 5 > '" + folder.string() +
        "/pipe' & holder=$!; " + tokenize + " < '" + folder.string() +
        "/pipe' & p=$!; sleep 0.3; kill -TERM $p; wait $p; code=$?; kill $holder; exit $code");
    CHECK(waiting.code == 143);
    CHECK(waiting.err == "error: interrupted\n");
    const Outcome working =
        shell("timeout -s TERM 0.5 " + bert_program + "bench forward --size small --repeat 100000");
    CHECK(working.code == 124);  // of timeout: the program ended at its signal
    CHECK(working.err == "error: interrupted\n");
}

TEST_CASE("bert: a signal ends one long run at once and leaves no file", "[bert]") {
    BertConfig config = tiny_config();
    config.max_position_embeddings = 4096;
    config.num_hidden_layers = 24;
    config.hidden_size = 256;
    const auto folder = scratch_folder("bert-long-run");
    Random random{7};
    save_bert(folder.string(), random_bert(random, config));
    write(folder / "vocab.txt", tiny_vocabulary);
    std::string text;
    for (int i = 0; i < 4000; ++i)
        text += "the ";
    write(folder / "text.txt", text);
    const std::string encode = "cd '" + folder.string() + "'; " + bert_program +
                               "encode --model . --out out.npz --text-file text.txt & p=$!; ";
    const Outcome outcome = shell(encode +
                                  "sleep 1; kill -TERM $p; b=$(date +%s%N); "
                                  "wait $p; echo $? $(( ($(date +%s%N) - b) / 1000000 ))");
    INFO(outcome.out << outcome.err);
    int code = 0;
    int milliseconds = 0;
    std::istringstream{outcome.out} >> code >> milliseconds;
    CHECK(code == 143);
    CHECK(milliseconds < 300);
    CHECK(std::distance(std::filesystem::directory_iterator{folder}, {}) == 4);
}

TEST_CASE("bert: the environment's language changes nothing", "[bert]") {
    const auto folder = tiny_model("bert-language");
    const std::string embed =
        bert_program + "embed --model '" + folder.string() + "' 'the cat \xc3\xa9'";
    const std::string expected = shell(embed).out;
    CHECK(expected.size() > 100);
    for (const char* language :
         {"LC_ALL=C", "LC_ALL=de_DE.UTF-8", "LC_ALL=C.UTF-8 TZ=Asia/Kolkata"})
        CHECK(shell(std::string{language} + " " + embed).out == expected);
}
