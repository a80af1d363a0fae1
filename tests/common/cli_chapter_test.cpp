// The contract of every chapter's program, tried on the first one as a user would.
#include <filesystem>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using bert::test::check_refused;
using bert::test::Outcome;
using bert::test::shell;

namespace {

void require_program() {
    INFO("build the target ch01 first");
    REQUIRE(std::filesystem::exists(std::string{BERT_BINARY_DIR} + "/bin/ch01"));
}

}  // namespace

TEST_CASE("chapter program: prints and ends with 0", "[cli]") {
    require_program();
    const Outcome outcome = shell("./ch01");
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.size() > 100);
}

TEST_CASE("chapter program: a full device or a closed output is exit code 4", "[cli]") {
    require_program();
    for (const char* line :
         {"./ch01 >/dev/full", "./ch01 >&-", "./ch01 --help >/dev/full", "./ch01 --version >&-"}) {
        INFO(line);
        const Outcome outcome = shell(line);
        check_refused(outcome, 4, "error: standard output: ");
    }
}

TEST_CASE("chapter program: a wrong option is exit code 2", "[cli]") {
    require_program();
    const Outcome outcome = shell("./ch01 --ot folder");
    check_refused(outcome, 2, "did you mean --out?");
    check_refused(shell("./ch01 --out -"), 2, "--out: - names no folder (./- is one");
}

TEST_CASE("BERT_MATMUL: a wrong word is exit code 2 before any output", "[cli]") {
    require_program();
    const Outcome outcome = shell("BERT_MATMUL=fast ./ch01");
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err ==
          "error: BERT_MATMUL: unknown method (found fast, expected loop or library)\n");
}

TEST_CASE("BERT_MATMUL: each known word gives the same text", "[cli]") {
    require_program();
    const Outcome plain = shell("./ch01");
    for (const char* word : {"loop", "library", ""}) {
        INFO("BERT_MATMUL=" << word);
        const Outcome outcome = shell(std::string{"BERT_MATMUL="} + word + " ./ch01");
        CHECK(outcome.code == 0);
        CHECK(outcome.out == plain.out);
    }
}

TEST_CASE("chapter program: more threads than any machine has are refused", "[cli]") {
    require_program();
    const Outcome outcome = shell("OMP_NUM_THREADS=100000 ./ch01");
    check_refused(outcome, 2, "OMP_NUM_THREADS: too many (found 100000");
}

TEST_CASE("chapter program: a closed pipe is exit code 4", "[cli]") {
    require_program();
    const Outcome outcome = shell("(sleep 0.3; ./ch01; echo $? >&2) | true");
    CHECK(outcome.err == "error: standard output: Broken pipe\n4\n");
}
