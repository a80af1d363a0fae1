#include "ch09_translation/training_log.hpp"

#include <fmt/core.h>

#include <limits>
#include <string_view>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

// 9 digits tell every float from its neighbours.
std::string line_of(const StepReport& r) {
    return fmt::format("{{\"step\":{},\"loss\":{:.9g},\"lr\":{:.9g},\"grad_norm\":{:.9g}}}", r.step,
                       r.loss, r.learning_rate, r.gradient_norm);
}

double number_of(const std::string& path, const StepLine& line, std::string_view key) {
    const JsonValue* const value = line.object.find(key);
    if (value == nullptr || value->kind() != JsonValue::Kind::number)
        throw not_a_step(path, line.number, line.text, "numbers step, loss, lr, grad_norm");
    return value->to_double();
}

StepReport report_of(const std::string& path, const StepLine& line) {
    if (line.step != line.number)
        throw not_a_step(path, line.number, line.text, "step " + std::to_string(line.number));
    return {line.step, number_of(path, line, "loss"), number_of(path, line, "grad_norm"),
            number_of(path, line, "lr")};
}

// The text of the steps up to `last_kept`.
std::string read_kept(const std::string& path, std::uint64_t last_kept,
                      std::vector<StepReport>& reports) {
    if (last_kept == 0) return "";
    std::string kept = read_step_log(
        path, last_kept, [&](const StepLine& line) { reports.push_back(report_of(path, line)); });
    if (reports.size() < last_kept) {
        throw FileError{path, "end", "steps are missing", std::to_string(reports.size()),
                        "at least " + std::to_string(last_kept)};
    }
    return kept;
}

}  // namespace

std::vector<StepReport> read_log(const std::string& path) {
    std::vector<StepReport> reports;
    read_step_log(path, std::numeric_limits<std::uint64_t>::max(),
                  [&](const StepLine& line) { reports.push_back(report_of(path, line)); });
    if (reports.empty()) throw FileError{path, "line 1", "no steps", "nothing", "a log"};
    return reports;
}

LogWriter::LogWriter(const std::string& path, std::uint64_t last_kept)
    : file_(path, read_kept(path, last_kept, reports_)) {}

void LogWriter::add(const StepReport& report) {
    file_.add(line_of(report));
    reports_.push_back(report);
}

}  // namespace bert
