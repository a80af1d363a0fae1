// What every program of the project does around its own work: options, exit codes, one error line.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

/// Exit codes, the same for every program.
enum class ExitCode : int {
    success = 0,
    failure = 1,       // a fault of the program
    usage = 2,         // wrong options, or shapes that do not fit
    bad_file = 3,      // an input file that is not what it should be
    no_resource = 4,   // input or output failed, or memory ran out
    numerics = 5,      // a number that is not finite
    check_failed = 6,  // a check that was asked for says no
    interrupted = 130,
};

/// Options that do not fit together, or a value out of range.
class UsageError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// A check that was asked for and that says no: exit code 6.
class CheckFailed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Work that a signal ended early, with its results saved: exit code 128 and the signal's number.
class Interrupted : public std::runtime_error {
  public:
    Interrupted(int signal, const std::string& message)
        : std::runtime_error(message), signal_(signal) {}
    int signal() const { return signal_; }

  private:
    int signal_;
};

/// An option that a chapter's program adds to the common ones: with a value, or a flag without.
struct ExtraOption {
    std::string name;         // "--heads"
    std::string value_name;   // "H"; empty for a flag
    std::string description;  // one sentence
    std::string* value;       // set when the option is given; "yes" for a flag
};

/// The options that every chapter's program has.
struct ChapterOptions {
    std::string out;  // folder for the files it writes; empty: it writes none
};

/// Parses the command line of a chapter's program, runs `body`, and returns the exit code.
///
/// What `body` throws becomes one line `error: ...` on standard error. Standard output must be
/// open, and is checked at the end: text that could not be written is exit code 4.
int run_chapter(int argc, const char* const* argv, const std::string& description,
                const std::vector<ExtraOption>& extra,
                const std::function<void(const ChapterOptions&)>& body);

/// Runs `body` under the same contract, without options; `body` returns the exit code.
int run_guarded(const std::function<ExitCode()>& body);

/// "attention-to-bert 0.1.0".
std::string version_line();

/// Throws UsageError, and std::invalid_argument, for an OMP_NUM_THREADS or BERT_MATMUL in the
/// environment that is out of range.
void require_environment();

/// `message` as one line `error: ...` on standard error; returns the exit code.
int report_error(ExitCode code, const std::string& message);

/// A whole number in [lowest, highest]. Throws UsageError naming the option, found and expected.
long parse_whole_number(std::string_view option, std::string_view text, long lowest, long highest);

/// A decimal number above 0, or for `zero_too` at least 0, and finite. Throws UsageError likewise.
double parse_positive(std::string_view option, std::string_view text, bool zero_too = false);

/// Text of unknown origin made safe for one line of a terminal: control characters and bytes that
/// are not UTF-8 as "\x1b", at most 1000 bytes and then "...".
std::string printable(std::string_view text);

}  // namespace bert
