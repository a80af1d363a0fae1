#include "ch09_translation/training_log.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"

namespace bert {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

// 9 digits tell every float from its neighbours.
std::string line_of(const StepReport& r) {
    return fmt::format("{{\"step\":{},\"loss\":{:.9g},\"lr\":{:.9g},\"grad_norm\":{:.9g}}}\n",
                       r.step, r.loss, r.learning_rate, r.gradient_norm);
}

StepReport parse_line(const std::string& path, std::size_t number, std::string_view line) {
    const std::string where = "line " + std::to_string(number);
    const auto refuse = [&](const char* expected) {
        return FileError{path, where, "not a step of a log", std::string{line.substr(0, 80)},
                         expected};
    };
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) throw refuse("a JSON object");
    for (const char* key : {"step", "loss", "lr", "grad_norm"}) {
        if (!object.contains(key) || !object[key].is_number())
            throw refuse("numbers step, loss, lr, grad_norm");
    }
    if (!object["step"].is_number_unsigned() || object["step"] != number)
        throw refuse(("step " + std::to_string(number)).c_str());
    return {object["step"], object["loss"], object["grad_norm"], object["lr"]};
}

// The first lines of a file; what follows the last line feed is a line that was not finished.
std::vector<StepReport> parse(const std::string& path, std::string_view text, std::uint64_t most) {
    std::vector<StepReport> reports;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos && reports.size() < most;
         end = text.find('\n')) {
        reports.push_back(parse_line(path, reports.size() + 1, text.substr(0, end)));
        text.remove_prefix(end + 1);
    }
    return reports;
}

}  // namespace

std::vector<StepReport> read_log(const std::string& path) {
    std::vector<StepReport> reports =
        parse(path, read_file(path, most_bytes), std::numeric_limits<std::uint64_t>::max());
    if (reports.empty()) throw FileError{path, "line 1", "no steps", "nothing", "a log"};
    return reports;
}

void LogWriter::sync() {
    if (fsync(fileno(file_.get())) != 0)
        throw IoError{path_ + ": cannot sync: " + std::strerror(errno)};
}

LogWriter::LogWriter(const std::string& path, std::uint64_t last_kept) : path_(path) {
    std::string kept;
    if (last_kept > 0) {
        reports_ = parse(path, read_file(path, most_bytes), last_kept);
        if (reports_.size() < last_kept) {
            throw FileError{path, "end", "steps are missing", std::to_string(reports_.size()),
                            "at least " + std::to_string(last_kept)};
        }
        reports_.resize(static_cast<std::size_t>(last_kept));
        for (const StepReport& report : reports_)
            kept += line_of(report);
    }
    write_file(path, kept);
    file_.reset(std::fopen(path.c_str(), "a"));
    if (!file_) throw IoError{path + ": cannot open for writing: " + std::strerror(errno)};
}

void LogWriter::add(const StepReport& report) {
    const std::string line = line_of(report);
    // Handed to the system line by line: a killed program leaves whole lines.
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
        std::fflush(file_.get()) != 0) {
        throw IoError{path_ + ": cannot write: " + std::strerror(errno)};
    }
    reports_.push_back(report);
}

}  // namespace bert
