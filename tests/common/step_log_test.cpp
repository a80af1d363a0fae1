#include "common/io/step_log.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();

const std::string four_lines =
    "{\"step\":1,\"loss\":2.5}\n{\"step\":2}\n{\"step\":2,\"validation\":{\"loss\":1}}\n{\"step\":"
    "3}\n";

struct Read {
    std::string text;
    std::vector<std::uint64_t> steps;
};

Read read(const std::string& text, std::uint64_t last) {
    const std::string path = (scratch_folder("step_log") / "log").string();
    write_file(path, text);
    Read result;
    result.text = read_step_log(path, last, [&](const StepLine& line) {
        CHECK(line.number == result.steps.size() + 1);
        result.steps.push_back(line.step);
    });
    return result;
}

}  // namespace

TEST_CASE("read_step_log: gives the lines up to the last one of a step", "[common]") {
    const std::vector<std::uint64_t> steps = {1, 2, 2, 3};
    for (const auto& [last, lines] : std::vector<std::pair<std::uint64_t, std::size_t>>{
             {0, 0}, {1, 1}, {2, 3}, {3, 4}, {4, 4}, {all, 4}}) {
        const Read found = read(four_lines, last);
        CHECK(found.steps ==
              std::vector<std::uint64_t>(steps.begin(), steps.begin() + static_cast<long>(lines)));
        CHECK(four_lines.starts_with(found.text));
        CHECK(static_cast<std::size_t>(std::count(found.text.begin(), found.text.end(), '\n')) ==
              lines);
    }
}

TEST_CASE("read_step_log: what is behind the last step need not be a log", "[common]") {
    for (const std::string& rest : {std::string{"{\"step\":4,\"lo"}, std::string{"{\"step\":4}\n"},
                                    std::string{"nonsense\n"}, std::string("\0\0\n\0", 4)}) {
        CHECK(read(four_lines + rest, 3).text == four_lines);
        CHECK(read(four_lines + rest, 3).steps.size() == 4);
    }
    CHECK(read(four_lines + "{\"step\":4", all).text == four_lines);  // half a line is none
    CHECK_THROWS_WITH(read(four_lines + "nonsense\n", 4),
                      ContainsSubstring("line 5: not a step of a log (found nonsense, expected a "
                                        "JSON object with a whole number step)"));
}

TEST_CASE("read_step_log: a line without a whole step is refused", "[common]") {
    for (const std::string wrong :
         {"", "[]", "2", "{}", "{\"step\":-1}", "{\"step\":1.0}", "{\"step\":\"1\"}",
          "{\"step\":1} 2", "{\"step\":1,\"step\":1}"}) {
        INFO(wrong);
        CHECK_THROWS_AS(read(wrong + "\n", all), FileError);
    }
    CHECK_THROWS_AS(read_step_log("/no/such/file", 1, [](const StepLine&) {}), IoError);
}

TEST_CASE("StepLog: begins with the text it is given and writes whole lines", "[common]") {
    const std::string path = (scratch_folder("step_log") / "log").string();
    write_file(path, "what was there before");
    StepLog log{path, "{\"step\":1}\n"};
    CHECK(content(path) == "{\"step\":1}\n");
    log.add("{\"step\":2}");
    CHECK(content(path) == "{\"step\":1}\n{\"step\":2}\n");  // before it is closed
    CHECK_NOTHROW(log.sync());
    CHECK_THROWS_AS((StepLog{path + "/log", ""}), IoError);
}

TEST_CASE("StepLog: a full disk is an error", "[common]") {
    StepLog log{"/dev/full", ""};
    CHECK_THROWS_AS(log.add("{\"step\":1}"), IoError);
}
