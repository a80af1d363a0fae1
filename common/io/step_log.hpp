// The log of work that goes in steps and can be interrupted: a JSON object a line, each with its
// "step", such as {"step":1,"loss":5.1}.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/io/file_error.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

struct StepLine {
    std::uint64_t step = 0;
    std::size_t number = 0;  // of the line, from 1
    std::string_view text;   // without the line feed
    JsonValue object;
};

/// The error that a line is not what is expected there.
FileError not_a_step(const std::string& path, std::size_t line_number, std::string_view line,
                     const std::string& expected);

/// Calls visit(line) for the lines of a log up to the last one of step `last`, and returns their
/// text; what is behind it is not looked at. Half a line at the end, which a program that was
/// killed leaves, is none. Throws IoError when the file does not open; FileError naming the line
/// that is no object with a whole number "step".
std::string read_step_log(const std::string& path, std::uint64_t last,
                          const std::function<void(const StepLine&)>& visit);

/// A log that is being written, a whole line at a time.
class StepLog {
  public:
    /// The file begins with this text and nothing else is in it. Throws IoError, as all functions
    /// do.
    StepLog(std::string path, std::string_view begin);
    /// Without the line feed.
    void add(std::string_view line);
    /// What was added is on the disk.
    void sync();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace bert
