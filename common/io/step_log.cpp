#include "common/io/step_log.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "common/io/atomic_file.hpp"
#include "common/io/input_file.hpp"

namespace bert {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;

// Nothing for a line that is no object with a step.
std::optional<StepLine> parse_line(const std::string& path, std::size_t number,
                                   std::string_view text) {
    try {
        StepLine line{0, number, text, parse_json(path, text)};
        line.step = line.object.at("step").to_unsigned();
        return line;
    } catch (const FileError&) {
        return std::nullopt;
    }
}

[[noreturn]] void fail(const std::string& path, const char* tried) {
    throw IoError{path + ": cannot " + tried + ": " + std::strerror(errno)};
}

}  // namespace

FileError not_a_step(const std::string& path, std::size_t line_number, std::string_view line,
                     const std::string& expected) {
    return {path, "line " + std::to_string(line_number), "not a step of a log",
            std::string{line.substr(0, 80)}, expected};
}

std::string read_step_log(const std::string& path, std::uint64_t last,
                          const std::function<void(const StepLine&)>& visit) {
    std::string file = read_file(path, most_bytes);
    const std::string_view text = file;
    std::size_t begin = 0;
    std::size_t number = 1;
    std::uint64_t step = 0;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos;
         end = text.find('\n', begin)) {
        const auto line = parse_line(path, number, text.substr(begin, end - begin));
        if (!line && step >= last) break;
        if (!line)
            throw not_a_step(path, number, text.substr(begin, end - begin),
                             "a JSON object with a whole number step");
        if (line->step > last) break;
        visit(*line);
        step = line->step;
        begin = end + 1;
        ++number;
    }
    file.resize(begin);
    return file;
}

StepLog::StepLog(std::string path, std::string_view begin) : path_(std::move(path)) {
    write_file(path_, begin);
    file_.reset(std::fopen(path_.c_str(), "ae"));
    if (!file_) fail(path_, "open for writing");
}

void StepLog::add(std::string_view line) {
    std::string text{line};
    text += '\n';
    // Handed to the system line by line: a killed program leaves whole lines.
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
        std::fflush(file_.get()) != 0) {
        fail(path_, "write");
    }
}

void StepLog::sync() {
    if (fsync(fileno(file_.get())) != 0 && errno != EINVAL) fail(path_, "sync");
}

}  // namespace bert
