// What a user of the program sees when the input is bad.
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "common/io/npz.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using test::Outcome;

namespace {

Outcome run(const std::filesystem::path& folder, const std::string& arguments) {
    return test::program(folder, "ch02", arguments);
}

void check_refused(const std::filesystem::path& folder, const std::string& arguments, int code,
                   const std::string& message) {
    INFO(arguments);
    test::check_refused(run(folder, arguments), code, message);
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream{path} << text;
}

}  // namespace

TEST_CASE("ch02: attention over the numbers of a file", "[ch02]") {
    const auto folder = test::scratch_folder("ch02_numbers");
    write(folder / "mine.json",
          R"({"query": [[2, 0]], "key": [[0, 1], [0, 1]], "value": [[5, 1], [7, 2]]})");
    const Outcome result = run(folder, "--input mine.json");
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, ContainsSubstring("weights\n  0.5000  0.5000\n") &&
                               ContainsSubstring("output\n  6.0000  1.5000\n"));
    NpzWriter npz;
    npz.add("query", Tensor{{2, 0}, {0, 0}});
    npz.add("key", Tensor{{0, 1}, {0, 1}});
    npz.add("value", Tensor{{5, 1}, {7, 2}});
    npz.write((folder / "mine.npz").string());
    CHECK_THAT(run(folder, "--input mine.npz").out,
               ContainsSubstring("output\n  6.0000  1.5000\n  6.0000  1.5000\n"));
}

TEST_CASE("ch02: bad numbers are refused with one line and the right code", "[ch02]") {
    const auto folder = test::scratch_folder("ch02_refusals");
    const auto json = [&](const std::string& text) { write(folder / "bad.json", text); };
    json(R"({"query": [[1, 2, 3]], "key": [[1, 2]], "value": [[1, 2]]})");
    check_refused(folder, "--input bad.json", 2,
                  "query (T=1, K=3) and key (S=1, K=2): the widths differ");
    json(R"({"query": [1, 2], "key": [[1, 2]], "value": [[1, 2]]})");
    check_refused(folder, "--input bad.json", 2, "need at least two dimensions");
    json(R"({"query": [[1, 2]], "key": [[1, 2], [3, 4]], "value": [[1, 2]]})");
    check_refused(folder, "--input bad.json", 2, "key (S=2, K=2) and value (S=1, E=2)");
    check_refused(folder, "--input bad.json --words a", 2, "only one of them");
    json(R"({"query": [[1, 2]], "key": [[1, 2]]})");
    check_refused(folder, "--input bad.json", 3, "bad.json: no tensor value");
    json(R"({"query": [[1, 2], [3]]})");
    check_refused(folder, "--input bad.json", 3, "bad.json: \"query\"[1]");
    json(R"({"query": [[1, )");
    check_refused(folder, "--input bad.json", 3, "bad.json");
    check_refused(folder, "--input missing.json", 4, "missing.json");
    check_refused(folder, "--input .", 3, "");

    NpzWriter npz;
    npz.add("query", Tensor{{1, 2}, {3, std::numeric_limits<double>::quiet_NaN()}});
    npz.add("key", Tensor{{1, 2}, {3, 4}});
    npz.add("value", Tensor{{1, 2}, {3, 4}});
    npz.write((folder / "nan.npz").string());
    check_refused(folder, "--input nan.npz", 5, "attention: query: element (1, 1) is not finite");

    NpzWriter empty;
    empty.add("query", Tensor(Shape{0, 2}));
    empty.add("key", Tensor{{1, 2}, {3, 4}});
    empty.add("value", Tensor{{1, 2}, {3, 4}});
    empty.write((folder / "empty.npz").string());
    check_refused(folder, "--input empty.npz", 2, "dimension of size zero");
}

TEST_CASE("ch02: a folder that cannot be written and a full disk", "[ch02]") {
    const auto folder = test::scratch_folder("ch02_disk");
    write(folder / "file", "not a folder");
    for (const std::string out : {"file/out", "/proc/nowhere"}) {
        const Outcome result = run(folder, "--words a --out " + out);
        CHECK(result.code == 4);
        CHECK(result.out.find("wrote") == std::string::npos);
        CHECK_THAT(result.err, ContainsSubstring("error: " + out));
    }
    const Outcome full = run(folder, ">/dev/full");
    test::check_refused(full, 4, "standard output: No space left on device");
}

TEST_CASE("ch02: options that do not exist or have no value", "[ch02]") {
    const auto folder = test::scratch_folder("ch02_options");
    check_refused(folder, "--wrods x", 2, "--wrods");
    check_refused(folder, "--words", 2, "--words");
    check_refused(folder, "--words a --words b", 2, "--words");
    check_refused(folder, "--words ' '", 2, "--words: found 0 words");
    check_refused(folder, "--words ''", 2, "--words: empty");
    check_refused(folder, "--input ''", 2, "--input: empty");
    check_refused(folder, "--out ''", 2, "--out: empty");
    check_refused(folder, "--out out --words \"$(printf 'a\\377 b')\"", 2, "of other bytes");
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
    check_refused(folder, "--words \"$(yes a | head -n 300 | tr '\\n' ' ')\"", 2,
                  "found 300 words");
    check_refused(folder, "stray", 2, "stray");
}

TEST_CASE("ch02: the picture in the lesson is the one that the program draws", "[ch02]") {
    const auto folder = test::scratch_folder("ch02_picture");
    REQUIRE(run(folder, "--words 'i have a dream' --out out").code == 0);
    const std::string drawn = test::content(folder / "out/attention_map.svg");
    CHECK(drawn.size() > 1000);
    CHECK(drawn == test::content(BERT_SOURCE_DIR
                                 "/chapters/ch02_scaled_dot_product/figures/i_have_a_dream.svg"));
}
