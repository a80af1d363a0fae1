#include "ch09_translation/training_log.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "tests/ch09_translation/small_training.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

std::string new_log() {
    return (scratch_folder("training_log") / "log.jsonl").string();
}

const std::string three_lines =
    "{\"step\":1,\"loss\":5.125,\"lr\":1e-05,\"grad_norm\":2.5}\n"
    "{\"step\":2,\"loss\":4.5,\"lr\":2e-05,\"grad_norm\":0.333333333}\n"
    "{\"step\":3,\"loss\":4.25,\"lr\":0.001,\"grad_norm\":12345678.9}\n";

void add_three(LogWriter& log) {
    log.add({1, 5.125, 2.5, 1e-5});
    log.add({2, 4.5, 1.0 / 3.0, 2e-5});
    log.add({3, 4.25, 12345678.9, 1e-3});
}

}  // namespace

TEST_CASE("LogWriter: writes one object a line", "[ch09]") {
    const std::string path = new_log();
    LogWriter log{path, 0};
    CHECK(content(path).empty());
    add_three(log);
    CHECK(content(path) == three_lines);  // before it is closed
    log.sync();
    CHECK(log.reports().size() == 3);
    const std::vector<StepReport> read = read_log(path);
    REQUIRE(read.size() == 3);
    CHECK(read[1].step == 2);
    CHECK(read[1].loss == 4.5);
    CHECK(read[1].learning_rate == 2e-5);
    CHECK_THAT(read[1].gradient_norm, WithinAbs(1.0 / 3.0, 1e-9));
}

TEST_CASE("LogWriter: steps after the checkpoint and half lines are dropped", "[ch09]") {
    for (const char* rest :
         {"", "{\"step\":4,\"loss\":1", "{\"step\":4,\"loss\":1,\"lr\":1,\"grad_norm\":1}\n"}) {
        for (std::uint64_t kept = 0; kept <= 3; ++kept) {
            const std::string path = new_log();
            write_file(path, three_lines + rest);
            LogWriter log{path, kept};
            CHECK(log.reports().size() == kept);
            CHECK(three_lines.starts_with(content(path)));
            const std::string text = content(path);
            CHECK(std::count(text.begin(), text.end(), '\n') == static_cast<long>(kept));
            if (kept == 3) continue;
            log.add({kept + 1, 0.5, 0.25, 0.125});
            CHECK(content(path) == text + "{\"step\":" + std::to_string(kept + 1) +
                                       ",\"loss\":0.5,\"lr\":0.125,\"grad_norm\":0.25}\n");
        }
    }
}

TEST_CASE("LogWriter: lines written again are the same bytes and the same floats", "[ch09]") {
    const std::string path = new_log();
    Random random{5};
    const auto number = [&random] {
        const double size = std::pow(10.0, random.uniform(-12.0, 6.0));
        return static_cast<double>(static_cast<float>(random.normal() * size));
    };
    std::vector<StepReport> reports;
    std::string before;
    {
        LogWriter log{path, 0};
        for (std::uint64_t step = 1; step <= 500; ++step) {
            reports.push_back({step, number(), number(), number()});
            log.add(reports.back());
        }
        before = content(path);
    }
    const LogWriter again{path, 500};
    CHECK((content(path) == before));
    const auto same = [](double a, double b) {
        return static_cast<float>(a) == static_cast<float>(b);
    };
    for (std::size_t i = 0; i < reports.size(); ++i) {
        CHECK(same(again.reports()[i].loss, reports[i].loss));
        CHECK(same(again.reports()[i].gradient_norm, reports[i].gradient_norm));
        CHECK(same(again.reports()[i].learning_rate, reports[i].learning_rate));
    }
}

TEST_CASE("LogWriter: a log shorter than the checkpoint is refused and left alone", "[ch09]") {
    const std::string path = new_log();
    CHECK_THROWS_AS((LogWriter{path, 1}), IoError);
    write_file(path, three_lines);
    CHECK_THROWS_AS((LogWriter{path, 4}), FileError);
    CHECK_THROWS_WITH((LogWriter{path, 4}),
                      path + ": end: steps are missing (found 3, expected at least 4)");
    CHECK(content(path) == three_lines);
    const std::string nowhere = path + "/log.jsonl";
    CHECK_THROWS_AS((LogWriter{nowhere, 0}), IoError);
}

TEST_CASE("read_log: the line that is no step is named", "[ch09]") {
    const std::string path = new_log();
    CHECK_THROWS_AS(read_log(path), IoError);
    const std::string first = three_lines.substr(0, three_lines.find('\n') + 1);
    const std::string deep(100000, '[');
    for (const std::string& wrong :
         {std::string{""}, std::string{"text"}, std::string{"[]"}, std::string{"2"}, deep,
          std::string{"{\"step\":2,\"loss\":4.5,\"lr\":2e-05}"},
          std::string{"{\"step\":2,\"loss\":\"4.5\",\"lr\":2e-05,\"grad_norm\":1}"},
          std::string{"{\"step\":2,\"loss\":null,\"lr\":2e-05,\"grad_norm\":1}"},
          std::string{"{\"step\":3,\"loss\":4.5,\"lr\":2e-05,\"grad_norm\":1}"},
          std::string{"{\"step\":1,\"loss\":4.5,\"lr\":2e-05,\"grad_norm\":1}"},
          std::string{"{\"step\":2.0,\"loss\":4.5,\"lr\":2e-05,\"grad_norm\":1}"},
          std::string{"{\"step\":-2,\"loss\":4.5,\"lr\":2e-05,\"grad_norm\":1}"},
          std::string{"{\"step\":2,\"loss\":4.5,\"lr\":2e-05,\"grad_norm\":1} 5"},
          std::string("\0\xFF\0", 3)}) {
        write_file(path, first + wrong + "\n");
        INFO(wrong.substr(0, 60));
        CHECK_THROWS_AS(read_log(path), FileError);
        CHECK_THROWS_WITH(read_log(path),
                          ContainsSubstring(path + ": line 2: not a step of a log (found "));
    }
    write_file(path, "");
    CHECK_THROWS_AS(read_log(path), FileError);
    write_file(path, first.substr(0, 20));  // a line without its end is none
    CHECK_THROWS_AS(read_log(path), FileError);
    write_file(path, first + "{\"step\":2");
    CHECK(read_log(path).size() == 1);
}
