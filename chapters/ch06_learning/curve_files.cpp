#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include "ch06_learning/expected_curve.hpp"
#include "common/cli/program.hpp"
#include "common/io/data_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"

namespace bert {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t most_curve_bytes = 1 << 20;
constexpr std::uint64_t most_log_bytes = std::uint64_t{1} << 30;

// A value for a message. Not dump() of lists and objects, which would follow any depth.
std::string shown(const Json& value) {
    return value.is_structured() ? value.type_name() : value.dump().substr(0, 80);
}

const Json& member(const std::string& path, const Json& object, const std::string& where,
                   const char* key, bool (*fits)(const Json&), const char* expected) {
    if (!object.is_object() || !object.contains(key) || !fits(object[key])) {
        throw FileError{path, where.empty() ? key : where + "." + key, "missing or no fit",
                        object.is_object() && object.contains(key) ? shown(object[key]) : "nothing",
                        expected};
    }
    return object[key];
}

bool is_text(const Json& x) {
    return x.is_string();
}

bool is_count(const Json& x) {
    return x.is_number_unsigned() && x.get<std::uint64_t>() > 0;
}

bool is_finite(const Json& x) {
    return x.is_number() && std::isfinite(x.get<double>());
}

bool is_list(const Json& x) {
    return x.is_array() && !x.empty();
}

CurvePoint read_point(const std::string& path, const Json& point, std::size_t i,
                      std::uint64_t after) {
    const std::string where = "points[" + std::to_string(i) + "]";
    const CurvePoint result{
        member(path, point, where, "step", is_count, "a step from 1").get<std::uint64_t>(),
        member(path, point, where, "low", is_finite, "a number").get<double>(),
        member(path, point, where, "high", is_finite, "a number").get<double>()};
    if (result.step > after && result.low <= result.high) return result;
    throw FileError{path, where, "out of order", "step " + shown(point["step"]),
                    "rising steps, and low up to high"};
}

}  // namespace

ExpectedCurve read_curve(const std::string& path) {
    const Json json = Json::parse(read_file(path, most_curve_bytes), nullptr, false);
    ExpectedCurve curve{
        member(path, json, "", "about", is_text, "a sentence").get<std::string>(),
        member(path, json, "", "window", is_count, "a count from 1").get<std::size_t>(),
        {}};
    const Json& points = member(path, json, "", "points", is_list, "a list of points");
    for (std::size_t i = 0; i < points.size(); ++i)
        curve.points.push_back(
            read_point(path, points[i], i, i == 0 ? 0 : curve.points.back().step));
    return curve;
}

ExpectedCurve project_curve(const std::string& name) {
    std::set<std::string> names;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator{data_file("curves"), fault}) {
        if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
    }
    if (names.contains(name)) return read_curve(data_file("curves/" + name + ".json"));
    std::string known;
    for (const std::string& each : names)
        known += (known.empty() ? "" : ", ") + each;
    throw UsageError{"no loss curve of this name (found " + name + ", expected one of " + known +
                     ")"};
}

std::vector<double> read_losses(const std::string& path) {
    const std::string text = read_file(path, most_log_bytes);
    std::vector<double> losses;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        const Json step = Json::parse(line, nullptr, false);
        if (!step.is_object()) {
            throw FileError{path, "line " + std::to_string(losses.size() + 1),
                            "not a step of a log", std::string{line.substr(0, 80)},
                            "a JSON object with a number loss"};
        }
        losses.push_back(member(path, step, "line " + std::to_string(losses.size() + 1), "loss",
                                is_finite, "a number")
                             .get<double>());
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
    return losses;
}

}  // namespace bert
