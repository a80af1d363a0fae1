// bert bench and bert train-vocab.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

using namespace bert;
using namespace bert::test;
using Json = nlohmann::json;

TEST_CASE("bert bench: forward and train give their times memory and speed", "[bert]") {
    for (const std::string kind : {"forward", "train"}) {
        const Outcome outcome =
            shell("./bert bench " + kind +
                  " --size tiny --batch 2 --tokens 16 --repeat 3 --threads 1 --json");
        INFO(outcome.err);
        REQUIRE(outcome.code == 0);
        const Json json = Json::parse(outcome.out);
        REQUIRE(json.at("milliseconds").size() == 3);
        for (const auto& time : json.at("milliseconds"))
            CHECK(time.get<double>() > 0);
        CHECK(json.at("peak_rss_mb").get<double>() > 10);
        CHECK(json.at("gflops").get<double>() > 0);
        CHECK_THAT(shell("./bert bench " + kind + " --size tiny --repeat 1").out,
                   ContainsSubstring("tiny, batch 1, 128 tokens: median"));
    }
}

TEST_CASE("bert bench: forward takes a checkpoint", "[bert]") {
    const auto folder = tiny_model("bert-bench-model");
    const Outcome outcome = bert_in(folder, "bench", "forward --batch 2 --tokens 16 --repeat 2");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.out.starts_with("., batch 2, 16 tokens: median "));
    check_refused(bert_in(folder, "bench", "forward"), 2,
                  "--tokens: too many (found 128, expected at most the 16 positions");
    check_refused(bert_in(folder, "bench", "forward --size tiny"), 2, "not both");
    check_refused(shell("./bert bench forward --model none --tokens 4"), 4, "none/config.json");
    Bert broken = load_bert(folder.string());
    broken.model.encoder.layers[1].feed_forward.inner.weight(3, 4) =
        std::numeric_limits<Real>::quiet_NaN();
    save_bert(folder.string(), broken);
    check_refused(bert_in(folder, "bench", "forward --tokens 4"), 5, "intermediate.dense.weight");
}

TEST_CASE("bert bench: the peak of memory is not that of the program that starts it", "[bert]") {
    if constexpr (sanitized) return;
    const auto out = scratch_folder("bert-bench-peak") / "out";
    const std::vector<char> large(std::size_t{500} << 20, 'x');  // is in memory, so written to
    const pid_t child = fork();
    if (child == 0) {
        dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
        execl(BERT_BINARY_DIR "/bert", "bert", "bench", "forward", "--size", "tiny", "--json",
              static_cast<char*>(nullptr));
        _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
    CHECK(Json::parse(content(out)).at("peak_rss_mb").get<double>() < 250);
    CHECK(large.back() == 'x');
}

TEST_CASE("bert bench: tokenize counts bytes and tokens", "[bert]") {
    const auto folder = tiny_model("bert-bench");
    write(folder / "text.txt", "the cats\na dog\n");
    const Outcome outcome = bert_in(folder, "bench", "tokenize text.txt --json --repeat 2");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json json = Json::parse(outcome.out);
    CHECK(json.at("seconds").size() == 2);
    CHECK(json.at("bytes") == 15);
    CHECK(json.at("tokens") == 5);
    CHECK(json.at("bytes_per_second").get<double>() > 0);
    CHECK(json.at("tokens_per_second").get<double>() > 0);
}

TEST_CASE("bert bench: what it cannot do is refused", "[bert]") {
    check_refused(shell("./bert bench"), 2, "found nothing, expected forward, train or tokenize");
    check_refused(shell("./bert bench backward"), 2, "found backward");
    check_refused(shell("./bert bench train --tokens 4"), 2, "--tokens");
    check_refused(shell("./bert bench train --size tiny --batch 4096 --tokens 4096"), 4,
                  "the step");
    check_refused(shell("./bert bench forward --size huge"), 2, "huge");
    check_refused(shell("./bert bench forward --batch 0"), 2, "--batch");
    check_refused(shell("./bert bench forward --repeat -1"), 2, "--repeat");
    check_refused(shell("./bert bench forward x"), 2, "takes no x");
    check_refused(shell("./bert bench tokenize"), 2, "FILE is missing");
    if constexpr (sanitized) return;
    check_refused(shell("ulimit -v 300000; OMP_NUM_THREADS=1 ./bert bench forward --size large"), 4,
                  "GB");
}

TEST_CASE("bert train-vocab: the same bytes every time and a vocabulary that works", "[bert]") {
    const auto folder = scratch_folder("bert-train-vocab");
    write(folder / "a.txt", "low lower lowest new newer newest wide wider widest\n");
    write(folder / "b.txt", "low low low newest newest widest\n");
    const Outcome one =
        program(folder, "bert", "train-vocab --size 30 --out one.txt a.txt b.txt --threads 1");
    INFO(one.err);
    REQUIRE(one.code == 0);
    CHECK(one.out.empty());
    REQUIRE(program(folder, "bert", "train-vocab --size 30 --out two.txt b.txt a.txt --threads 2")
                .code == 0);
    const std::string vocabulary = content(folder / "one.txt");
    CHECK(vocabulary == content(folder / "two.txt"));
    CHECK(vocabulary.starts_with("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"));
    CHECK(std::count(vocabulary.begin(), vocabulary.end(), '\n') == 30);
    std::filesystem::rename(folder / "one.txt", folder / "vocab.txt");
    CHECK(bert_in(folder, "tokenize", "low").out == "[CLS] low [SEP]\n");
    write(folder / "case.txt", "Low low\n");
    REQUIRE(
        program(folder, "bert", "train-vocab --quiet --cased --size 30 --out cased.txt case.txt")
            .code == 0);
    CHECK_THAT(content(folder / "cased.txt"), ContainsSubstring("\nL\n"));
}

TEST_CASE("bert train-vocab: what does not fit is refused", "[bert]") {
    const auto folder = scratch_folder("bert-train-vocab-refusals");
    write(folder / "a.txt", "low lower\n");
    const auto refused = [&](const std::string& arguments, int code, const std::string& message) {
        check_refused(program(folder, "bert", "train-vocab " + arguments), code, message);
        CHECK_FALSE(std::filesystem::exists(folder / "v.txt"));
    };
    refused("--out v.txt a.txt", 2, "--size");
    refused("--size 100 a.txt", 2, "--out");
    refused("--size 100 --out v.txt", 2, "FILE");
    refused("--size 8 --out v.txt a.txt", 2, "8");
    refused("--size 0 --out v.txt a.txt", 2, "--size");
    refused("--size 100 --out a.txt a.txt", 2, "is the input");
    refused("--size 100 --out v.txt none.txt", 4, "none.txt");
    write(folder / "blank.txt", " \n");
    refused("--size 100 --out v.txt blank.txt", 3, "blank.txt");
}
