#include "ch06_learning/expected_curve.hpp"

#include <fstream>
#include <stdexcept>

#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;

namespace {

const ExpectedCurve small{"a test", 2, {{2, 1.0, 2.0}, {4, 0.0, 1.0}}};

std::string file_with(const std::string& text) {
    static int count = 0;
    const auto path = test::scratch_folder("curve-" + std::to_string(count++)) / "file.json";
    std::ofstream{path} << text;
    return path.string();
}

}  // namespace

TEST_CASE("compare_with_curve: compares the mean of the last steps up to a point", "[ch06]") {
    const auto findings = compare_with_curve(small, {1.0, 2.0, 0.5, 0.25});
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].mean == 1.5);
    CHECK(findings[1].mean == 0.375);
    CHECK(findings[0].is_inside());
    CHECK(findings[1].is_inside());
}

TEST_CASE("compare_with_curve: says above and below and the ends of a band are inside", "[ch06]") {
    const auto outside = compare_with_curve(small, {4.0, 4.0, -1.0, -1.0});
    CHECK_FALSE(outside[0].is_inside());
    CHECK_FALSE(outside[1].is_inside());
    const std::string report = curve_report(small, outside);
    CHECK_THAT(report, ContainsSubstring("  above"));
    CHECK_THAT(report, ContainsSubstring("  below"));
    CHECK_THAT(report, ContainsSubstring("causal mask"));
    const auto ends = compare_with_curve(small, {2.0, 2.0, 0.0, 0.0});
    CHECK(ends[0].is_inside());
    CHECK(ends[1].is_inside());
    CHECK(compare_with_curve(small, {1.0, 1.0, 1.0, 1.0})[1].is_inside());
    CHECK(curve_report(small, ends).find("Above") == std::string::npos);
}

TEST_CASE("compare_with_curve: NaN is outside", "[ch06]") {
    CHECK_FALSE(compare_with_curve(small, {std::stod("nan"), 1.0})[0].is_inside());
}

TEST_CASE("compare_with_curve: compares what there is and needs one point", "[ch06]") {
    CHECK(compare_with_curve(small, {1.0, 1.0, 1.0}).size() == 1);
    CHECK_THROWS_AS(compare_with_curve(small, {1.0}), std::invalid_argument);
}

TEST_CASE("read_curve: refuses what is no curve naming the place", "[ch06]") {
    const std::string good =
        R"({"about": "x", "window": 1, "points": [{"step": 1, "low": 0, "high": 1}]})";
    CHECK(read_curve(file_with(good)).points.size() == 1);
    const std::vector<std::pair<std::string, std::string>> bad = {
        {"", "about"},
        {"[]", "about"},
        {R"({"about": 1, "window": 1, "points": []})", "about"},
        {R"({"about": "x", "window": 0, "points": []})", "window"},
        {R"({"about": "x", "window": 1, "points": []})", "points"},
        {R"({"about": "x", "window": 1, "points": [{"step": 1, "low": "a", "high": 1}]})",
         "points[0].low"},
        {R"({"about": "x", "window": 1, "points": [{"step": -1, "low": 0, "high": 1}]})",
         "points[0].step"},
        {R"({"about": "x", "window": 1, "points": [{"step": 1, "low": 2, "high": 1}]})",
         "points[0]"},
        {R"({"about": "x", "window": 1, "points": [{"step": 2, "low": 0, "high": 1}, {"step": 2, "low": 0, "high": 1}]})",
         "points[1]"},
    };
    for (const auto& [text, where] : bad) {
        INFO(text);
        CHECK_THROWS_AS(read_curve(file_with(text)), FileError);
        CHECK_THROWS_WITH(read_curve(file_with(text)), ContainsSubstring(": " + where + ": "));
    }
    CHECK_THROWS_AS(read_curve("/nowhere/curve.json"), IoError);
}

TEST_CASE("read_losses: one number a line and the line of a fault", "[ch06]") {
    CHECK(read_losses(file_with("{\"loss\":2.5}\n{\"step\":2,\"loss\":1}\n")) ==
          std::vector<double>{2.5, 1.0});
    CHECK(read_losses(file_with("{\"loss\":2.5}")) == std::vector<double>{2.5});
    CHECK_THROWS_WITH(read_losses(file_with("{\"loss\":1}\n{\"los\":2}\n")),
                      ContainsSubstring("line 2.loss"));
    CHECK_THROWS_AS(read_losses(file_with("{\"loss\":1}\nloss 2\n")), FileError);
    // A message must not follow a million brackets.
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    CHECK_THROWS_AS(read_losses(file_with("{\"loss\":" + deep + "}")), FileError);
    CHECK_THROWS_AS(read_curve(file_with("{\"about\":" + deep + "}")), FileError);
    CHECK_THROWS_AS(read_losses(file_with("{\"loss\":1}\n\n{\"loss\":1}\n")), FileError);
}

TEST_CASE("project_curve: every curve of the project can be read and others are named", "[ch06]") {
    for (const char* name : {"translation", "toy_descent", "toy_momentum", "toy_adam"})
        CHECK(project_curve(name).points.size() >= 3);
    CHECK_THROWS_AS(project_curve("translatoin"), UsageError);
    CHECK_THROWS_WITH(project_curve("../x"), ContainsSubstring("translation"));
}

TEST_CASE("check_losses: a log outside its band is a failed check", "[ch06]") {
    std::string log;
    for (int i = 0; i < 100; ++i)
        log += "{\"loss\":9.5}\n";
    CHECK_THROWS_AS(check_losses(file_with(log), "translation"), CheckFailed);
}
