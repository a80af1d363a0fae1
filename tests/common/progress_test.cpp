#include "common/cli/progress.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/common/cli_capture.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using test::capture;

namespace {

// What a progress of `total` steps writes when each step from `already` on is shown.
std::string shown(std::uint64_t total, std::uint64_t already,
                  Progress::Elsewhere elsewhere = Progress::Elsewhere::tenths) {
    return capture([&] {
               Progress progress{total, already, elsewhere};
               for (std::uint64_t done = already + 1; done <= total; ++done)
                   progress.show(done, "loss " + std::to_string(done));
               progress.finish();
               return 0;
           })
        .err;
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("progress_line: shows part and note and times", "[cli]") {
    CHECK(progress_line(420, 1000, 12.4, "loss 1.2345", 200) ==
          " 42% [########............] 420/1000  loss 1.2345  0:12, 0:17 left");
    CHECK(progress_line(0, 10, 0.0, "", 200) == "  0% [....................] 0/10    0:00");
    CHECK(progress_line(10, 10, 75.0, "done", 200) ==
          "100% [####################] 10/10  done  1:15");
    CHECK(progress_line(1, 2, 3723.0, "x", 200) ==
          " 50% [##########..........] 1/2  x  1:02:03, 1:02:03 left");
}

TEST_CASE("progress_line: nothing to do and more than all is all", "[cli]") {
    CHECK(progress_line(0, 0, 1.0, "x", 200) == "100% [####################] 0/0  x  0:01");
    CHECK(progress_line(12, 10, 1.0, "x", 200) == "100% [####################] 12/10  x  0:01");
}

TEST_CASE("progress_line: is no wider than asked", "[cli]") {
    const std::string whole = progress_line(420, 1000, 12.4, "loss 1.2345", 200);
    for (std::size_t columns = 0; columns <= whole.size(); ++columns)
        CHECK(progress_line(420, 1000, 12.4, "loss 1.2345", columns) == whole.substr(0, columns));
}

TEST_CASE("progress_line: absurd times stay short", "[cli]") {
    const std::string line = progress_line(1, UINT64_MAX, 1e300, "x", 200);
    CHECK(line.size() < 90);
    CHECK_THAT(line, ContainsSubstring("1000:00:00"));
    CHECK_THAT(progress_line(1, 2, -5.0, "x", 200), ContainsSubstring("0:00, 0:00 left"));
}

TEST_CASE("Progress: into a file it writes a line for every tenth", "[cli]") {
    const std::string text = shown(1000, 0);
    CHECK(lines_of(text) == 10);
    CHECK_THAT(text, ContainsSubstring(" 10% [##..................] 100/1000  loss 100  "));
    CHECK_THAT(text, ContainsSubstring("100% [####################] 1000/1000  loss 1000  "));
    CHECK(text.find('\r') == std::string::npos);
    CHECK(text.find('\x1B') == std::string::npos);
    CHECK(lines_of(shown(3, 0)) == 3);
}

TEST_CASE("Progress: tenths done before are not written again", "[cli]") {
    const std::string text = shown(1000, 550);
    CHECK(lines_of(text) == 5);
    CHECK(text.starts_with(" 60%"));
    CHECK(shown(10, 10).empty());
}

TEST_CASE("Progress: into a file it writes nothing where lines are not wanted", "[cli]") {
    CHECK(shown(1000, 0, Progress::Elsewhere::nothing).empty());
}
