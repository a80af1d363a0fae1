// A command of the program bert: what it is called with, and what it does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bert {

/// What was typed, as far as all commands share it.
struct Invocation {
    std::string command;                 // its name
    std::vector<std::string> arguments;  // what is no option, in order
    std::optional<std::string> model;    // --model
    bool json = false;                   // --json
    bool quiet = false;                  // --quiet

    /// "warning: ..." on standard error, unless --quiet.
    void warn(const std::string& message) const;
    /// The same without "warning: ".
    void tell(const std::string& message) const;
};

struct CommandOption {
    std::string name;         // "--top-k"
    std::string value_name;   // "K"; empty for a flag
    std::string description;  // what it is for
    std::optional<std::string>* value;
    bool is_text = false;  // the value may be anything, nothing as well
};

struct Command {
    std::string name;
    std::string summary;         // one line
    std::string examples;        // lines of shell
    std::string arguments = {};  // "TEXT"; empty: there are none
    std::string arguments_description = {};
    bool takes_model = true;
    bool takes_json = true;
    std::vector<CommandOption> options = {};
    std::function<void(const Invocation&)> run;
};

/// The value of an option as a whole number, if it was given. Throws UsageError as
/// parse_whole_number() does.
std::optional<std::size_t> whole_number(const std::string& option,
                                        const std::optional<std::string>& value, std::size_t lowest,
                                        std::size_t highest);

/// Parses the command line and runs the command that it names; returns the exit code.
int run_commands(int argc, const char* const* argv, const std::vector<Command>& commands);

}  // namespace bert
