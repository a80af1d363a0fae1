#include <fmt/core.h>

#include <csignal>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"
#include "common/tensor/tensor.hpp"
#include "tests/common/cli_capture.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using test::capture;
using test::Outcome;

using bert::test::check_refused;

namespace {

template <typename Error>
Outcome outcome_of(const Error& error) {
    return capture([&] { return run_guarded([&]() -> ExitCode { throw error; }); });
}

// A chapter's program with an option and a flag of its own; it prints its options.
int run_sample(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "sample");
    std::string heads = "2";
    std::string train;
    return run_chapter(
        static_cast<int>(arguments.size()), arguments.data(), "A sample program",
        {{"--heads", "H", "Number of heads", &heads}, {"--train", "", "Train", &train}},
        [&](const ChapterOptions& options) {
            fmt::print("out={} heads={}", options.out, heads);
            fmt::print("{}{}\n", train.empty() ? "" : " train=", train);
        });
}

Outcome sample(const std::vector<const char*>& arguments, const char* out = nullptr) {
    return capture([&] { return run_sample(arguments); }, out);
}

}  // namespace

TEST_CASE("run_guarded: each kind of exception has its exit code and one line", "[cli]") {
    check_refused(outcome_of(FileError("a.npy", "header", "wrong", "1", "2")), 3,
                  "error: a.npy: header: wrong (found 1, expected 2)\n");
    check_refused(outcome_of(IoError("a.npy: no such file")), 4, "a.npy: no such file");
    check_refused(outcome_of(NumericError("loss is not finite")), 5, "loss is not finite");
    check_refused(outcome_of(CheckFailed("outside the band")), 6, "error: outside the band\n");
    check_refused(outcome_of(Interrupted(SIGINT, "stopped after step 5")), 130,
                  "error: stopped after step 5\n");
    check_refused(outcome_of(Interrupted(SIGTERM, "stopped")), 143, "error: stopped\n");
    check_refused(outcome_of(std::bad_alloc()), 4, "out of memory");
    check_refused(outcome_of(std::length_error("too large")), 4, "too large");
    check_refused(outcome_of(std::system_error(ENOSPC, std::generic_category())), 4,
                  "No space left");
    check_refused(outcome_of(std::filesystem::filesystem_error(
                      "mkdir", std::error_code(EACCES, std::generic_category()))),
                  4, "Permission denied");
    check_refused(outcome_of(UsageError("--heads: wrong")), 2, "--heads: wrong");
    check_refused(outcome_of(ShapeError("shapes differ")), 2, "shapes differ");
    check_refused(outcome_of(std::invalid_argument("wrong word")), 2, "wrong word");
    check_refused(outcome_of(std::logic_error("a fault")), 1, "a fault");
    check_refused(outcome_of(std::runtime_error("another")), 1, "another");
}

TEST_CASE("run_guarded: the body's code is passed on", "[cli]") {
    for (const ExitCode code : {ExitCode::success, ExitCode::check_failed, ExitCode::interrupted}) {
        const Outcome outcome = capture([&] {
            return run_guarded([&] {
                fmt::print("text\n");
                return code;
            });
        });
        CHECK(outcome.code == static_cast<int>(code));
        CHECK(outcome.out == "text\n");
        CHECK(outcome.err.empty());
    }
}

TEST_CASE("run_guarded: output that does not arrive is exit code 4", "[cli]") {
    const auto print = [] {
        return run_guarded([] {
            fmt::print("text\n");
            return ExitCode::success;
        });
    };
    check_refused(capture(print, "/dev/full"), 4, "standard output: No space left on device");
    check_refused(capture(print, ""), 4, "standard output: Bad file descriptor");
    check_refused(capture(
                      [] {
                          return run_guarded([] {
                              for (int i = 0; i < 100000; ++i)
                                  fmt::print("more text than any buffer holds\n");
                              return ExitCode::success;
                          });
                      },
                      "/dev/full"),
                  4, "No space left on device");
}

TEST_CASE("run_guarded: nothing runs when standard output is closed", "[cli]") {
    bool ran = false;
    const Outcome outcome = capture(
        [&] {
            return run_guarded([&] {
                ran = true;
                return ExitCode::success;
            });
        },
        "");
    CHECK(outcome.code == 4);
    CHECK_FALSE(ran);
}

TEST_CASE("run_chapter: options reach the body", "[cli]") {
    const Outcome none = sample({});
    CHECK(none.code == 0);
    CHECK(none.out == "out= heads=2\n");
    CHECK(none.err.empty());
    CHECK(sample({"--out", "folder", "--heads=4"}).out == "out=folder heads=4\n");
    CHECK(sample({"--heads", "-3"}).out == "out= heads=-3\n");
}

TEST_CASE("run_chapter: help and version are exit code 0", "[cli]") {
    const Outcome help = sample({"--help"});
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    CHECK_THAT(help.out, ContainsSubstring("A sample program"));
    CHECK_THAT(help.out, ContainsSubstring("--out DIR"));
    CHECK_THAT(help.out, ContainsSubstring("--heads H"));
    const Outcome version = sample({"--version"});
    CHECK(version.code == 0);
    CHECK(version.out == "attention-to-bert 0.1.0\n");
    CHECK(sample({"--help"}, "/dev/full").code == 4);
    CHECK(sample({"--version"}, "").code == 4);
}

TEST_CASE("run_chapter: wrong command lines are exit code 2 and print nothing", "[cli]") {
    check_refused(sample({"--wrong"}), 2, "--wrong");
    check_refused(sample({"-x"}), 2, "-x");
    check_refused(sample({"word"}), 2, "word");
    check_refused(sample({"--out"}), 2, "--out");
    check_refused(sample({"--out", "a", "--out", "b"}), 2, "--out");
    check_refused(sample({"--heads", "2", "--heads=2"}), 2, "--heads");
    check_refused(sample({"--heads", "2", "3"}), 2, "3");
    check_refused(sample({""}), 2, "");
}

TEST_CASE("run_chapter: the nearest option is suggested", "[cli]") {
    CHECK_THAT(sample({"--head", "2"}).err, ContainsSubstring("did you mean --heads?"));
    CHECK_THAT(sample({"--haeds=2"}).err, ContainsSubstring("did you mean --heads?"));
    CHECK_THAT(sample({"--ouy", "x"}).err, ContainsSubstring("did you mean --out?"));
    CHECK_THAT(sample({"--versoin"}).err, ContainsSubstring("did you mean --version?"));
    CHECK_THAT(sample({"heads", "2"}).err, ContainsSubstring("did you mean --heads?"));
    CHECK_THAT(sample({"--gibberish"}).err, !ContainsSubstring("did you mean"));
    CHECK_THAT(sample({"out"}).err, !ContainsSubstring("did you mean"));
}

TEST_CASE("run_chapter: control bytes in arguments are shown escaped", "[cli]") {
    const Outcome outcome = sample({"--\x1B[31m\nred\x7F\xFF\xC2\x9B"});
    check_refused(outcome, 2, "--\\x1b[31m\\x0ared\\x7f\\xff\\xc2\\x9b");
    const std::string long_word = "--" + std::string(100000, 'a');
    CHECK(sample({long_word.c_str()}).err.size() < 1100);
}

TEST_CASE("printable: one line whatever the text", "[cli]") {
    CHECK(printable("plain text") == "plain text");
    CHECK(printable("\xC3\xA9\xE6\xB3\xA8\xF0\x9F\x98\x80") ==
          "\xC3\xA9\xE6\xB3\xA8\xF0\x9F\x98\x80");
    CHECK(printable("a\tb\r\n") == "a\\x09b\\x0d\\x0a");
    CHECK(printable(std::string("\0", 1)) == "\\x00");
    CHECK(printable("\xE6\xB3") == "\\xe6\\xb3");
    CHECK(printable("\xC0\x80") == "\\xc0\\x80");
    CHECK(printable(std::string(1000, 'a')) == std::string(1000, 'a'));
    CHECK(printable(std::string(1001, 'a')) == std::string(1000, 'a') + "...");
    CHECK(printable(std::string(999, 'a') + "\xC3\xA9") == std::string(999, 'a') + "...");
}

TEST_CASE("parse_whole_number: only a whole number in range is taken", "[cli]") {
    CHECK(parse_whole_number("--heads", "12", 1, 12) == 12);
    CHECK(parse_whole_number("--heads", "-5", -5, 5) == -5);
    for (const char* text : {"", "0", "13", "12abc", "1.0", " 3", "3 ", "+3", "0x3", "1e1", "abc",
                             "99999999999999999999", "-99999999999999999999", "--3"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_whole_number("--heads", text, 1, 12), UsageError);
    }
    CHECK_THROWS_AS(parse_whole_number("--seed", "", -5, 5), UsageError);
    CHECK_THROWS_AS(parse_whole_number("--seed", "99999999999999999999", -5, 5), UsageError);
    CHECK_THROWS_WITH(parse_whole_number("--heads", "13", 1, 12),
                      "--heads: not a whole number in range (found 13, expected 1 to 12)");
}

TEST_CASE("run_chapter: a flag is an option without a value", "[cli]") {
    CHECK(sample({"--train"}).out == "out= heads=2 train=yes\n");
    CHECK(sample({"--heads", "4", "--train", "--out", "x"}).out == "out=x heads=4 train=yes\n");
    CHECK_THAT(sample({"--help"}).out, ContainsSubstring("--train"));
    CHECK_THAT(sample({"--help"}).out, !ContainsSubstring("--train TEXT"));
    check_refused(sample({"--train", "yes"}), 2, "yes");
    check_refused(sample({"--train=5"}), 2, "train");
    CHECK_THAT(sample({"--trian"}).err, ContainsSubstring("did you mean --train?"));
}

TEST_CASE("parse_positive: only a number above 0 is taken", "[cli]") {
    CHECK(parse_positive("--rate", "0.25") == 0.25);
    CHECK(parse_positive("--rate", "3") == 3.0);
    CHECK(parse_positive("--rate", "2e-3") == 2e-3);
    CHECK(parse_positive("--rate", "0", true) == 0.0);
    CHECK(parse_positive("--rate", "0.5", true) == 0.5);
    for (const char* text :
         {"",         "0",    "0.0",   "-0",     "-1",    "-1e-300", "nan",  "inf",
          "infinity", "-inf", "1e999", "1e-999", "0x1p3", "1,5",     "1.5x", " 1",
          "1 ",       "+1",   "--1",   "one",    "1e",    "."}) {
        INFO(text);
        CHECK_THROWS_AS(parse_positive("--rate", text), UsageError);
    }
    for (const char* text : {"", "-1", "-1e-300", "nan", "inf", "1e999", "0x", "zero"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_positive("--rate", text, true), UsageError);
    }
    CHECK_THROWS_WITH(parse_positive("--rate", "-2"),
                      "--rate: not a number in range (found -2, expected above 0)");
    CHECK_THROWS_WITH(parse_positive("--rate", "-2", true),
                      "--rate: not a number in range (found -2, expected at least 0)");
}
