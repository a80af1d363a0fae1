#include "tools/bert/command.hpp"

#include <fmt/core.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

#include "common/cli/nearest.hpp"
#include "common/cli/program.hpp"
#include "common/cli/stop_signal.hpp"
#include "common/cli/threads.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

constexpr std::size_t most_threads = 1024;

struct CommonValues {
    std::optional<std::string> model;
    std::optional<std::string> threads;
    std::optional<std::string> json;
    std::optional<std::string> quiet;
};

std::vector<CommandOption> all_options(const Command& command, CommonValues& common) {
    std::vector<CommandOption> options = command.options;
    if (command.takes_model) {
        options.push_back({"--model", "DIR",
                           "Hugging Face folder: config.json, model.safetensors, vocab.txt, "
                           "tokenizer_config.json",
                           &common.model});
    }
    if (command.takes_json)
        options.push_back({"--json", "", "One JSON object a line", &common.json});
    options.push_back({"--threads", "N", "Processors to use; changes no result", &common.threads});
    options.push_back(
        {"--quiet", "", "No progress and no warnings on standard error", &common.quiet});
    return options;
}

std::string look(const Command& command) {
    return fmt::format(" (bert {} --help lists the options)", command.name);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
    const std::string nearest = nearest_word(word, known);
    return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

[[noreturn]] void refuse_option(const Command& command, const std::vector<CommandOption>& options,
                                const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known = {"--help", "--version"};
    for (const CommandOption& option : options)
        known.push_back(option.name);
    const std::string hint = word.starts_with("--")
                                 ? did_you_mean(name, known)
                                 : std::string{"; a text that begins with - comes after --"};
    throw UsageError{"unknown option " + name + hint + look(command)};
}

/// The words of a command line, apart.
struct Words {
    std::vector<std::string> options;  // for CLI11
    std::vector<std::string> arguments;
    bool help = false;
    bool version = false;
};

// CLI11 takes [a,b] for a list and {} for nothing, so texts must not come its way.
class WordSorter {
  public:
    WordSorter(const Command& command, const std::vector<CommandOption>& options)
        : command_(command), options_(options) {}

    Words sort(const std::vector<std::string>& words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string& word = words[i];
            if (word == "--") {
                sorted_.arguments.insert(sorted_.arguments.end(),
                                         words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                         words.end());
                break;
            }
            if (word == "--help" || word == "-h") {
                sorted_.help = true;
            } else if (word == "--version") {
                sorted_.version = true;
            } else if (word.starts_with("-") && word != "-") {
                i += take_option(word, i + 1 < words.size() ? &words[i + 1] : nullptr);
            } else {
                sorted_.arguments.push_back(word);
            }
        }
        return std::move(sorted_);
    }

  private:
    // Returns how many words after this one belong to it.
    std::size_t take_option(const std::string& word, const std::string* next) {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const auto option =
            std::find_if(options_.begin(), options_.end(),
                         [&](const CommandOption& known) { return known.name == name; });
        if (option == options_.end()) refuse_option(command_, options_, word);
        if (!given_.insert(name).second) throw UsageError{name + ": given twice" + look(command_)};
        const bool has_value = equals != std::string::npos;
        if (option->value_name.empty()) {
            if (has_value) throw UsageError{name + ": takes no value" + look(command_)};
            sorted_.options.push_back(name);
            return 0;
        }
        if (!has_value && next == nullptr)
            throw UsageError{name + ": its value is missing" + look(command_)};
        const std::string value = has_value ? word.substr(equals + 1) : *next;
        if (option->is_text) {
            *option->value = value;
        } else {
            if (value.empty())
                throw UsageError{name + ": empty (expected " + option->value_name + ")"};
            sorted_.options.push_back(name);
            sorted_.options.push_back(value);
        }
        return has_value ? 0 : 1;
    }

    const Command& command_;
    const std::vector<CommandOption>& options_;
    std::set<std::string> given_;
    Words sorted_;
};

void add_to(CLI::App& app, const CommandOption& option) {
    std::optional<std::string>* value = option.value;
    if (option.value_name.empty()) {
        app.add_flag_function(
            option.name, [value](std::int64_t) { *value = ""; }, option.description);
        return;
    }
    app.add_option_function<std::string>(
           option.name, [value](const std::string& text) { *value = text; }, option.description)
        ->type_name(option.value_name)
        ->expected(1);
}

std::string command_help(const Command& command, CLI::App& app) {
    std::string unused;
    if (!command.arguments.empty()) {
        app.add_option(command.arguments, unused, command.arguments_description)->type_name(" ");
    }
    app.set_version_flag("--version", version_line());
    return app.help();
}

void use_threads(const CommonValues& common) {
    if (const auto threads = whole_number("--threads", common.threads, 1, most_threads))
        omp_set_num_threads(static_cast<int>(*threads));
    start_threads();
}

ExitCode run_command(const Command& command, const std::vector<std::string>& words) {
    CommonValues common;
    const std::vector<CommandOption> options = all_options(command, common);
    Words sorted = WordSorter{command, options}.sort(words);
    CLI::App app{command.summary + "\n\nExamples:\n" + command.examples, "bert " + command.name};
    for (const CommandOption& option : options)
        add_to(app, option);
    if (sorted.help) {
        write_result(command_help(command, app));
        return ExitCode::success;
    }
    if (sorted.version) {
        write_result(version_line() + "\n");
        return ExitCode::success;
    }
    std::reverse(sorted.options.begin(), sorted.options.end());
    try {
        app.parse(sorted.options);
    } catch (const CLI::ParseError& e) {
        throw UsageError{std::string{e.what()} + look(command)};
    }
    if (command.arguments.empty() && !sorted.arguments.empty())
        throw UsageError{"unexpected " + sorted.arguments.front() + look(command)};
    use_threads(common);
    end_at_signals();
    const Invocation invocation{command.name, std::move(sorted.arguments), common.model,
                                common.json.has_value(), common.quiet.has_value()};
    command.run(invocation);
    return ExitCode::success;
}

std::string help_of_all(const std::vector<Command>& commands) {
    std::string text =
        "BERT on the command line: bert COMMAND [OPTIONS] [ARGUMENTS]\n"
        "\n"
        "Examples:\n"
        "  bert tokenize --model DIR \"time flies like an arrow\"\n"
        "  bert fill-mask --model DIR --top-k 3 \"the capital of France is [MASK].\"\n"
        "  bert embed --model DIR --normalize --text-file sentences.txt\n"
        "  bert encode --model DIR --out states.npz \"a text\" \"another one\"\n"
        "  bert attention --model DIR --out maps.svg \"the cat sat on the mat\"\n"
        "  bert inspect --check DIR\n"
        "\n"
        "Commands (bert COMMAND --help tells more):\n";
    for (const Command& command : commands)
        text += fmt::format("  {:<16}{}\n", command.name, command.summary);
    return text +
           "\n"
           "Texts are arguments, or lines of --text-file FILE or of standard input (-, or no "
           "text);\n"
           "a pair of texts is A<TAB>B. Results go to standard output, everything else to "
           "standard\n"
           "error.\n"
           "\n"
           "Options of every command:\n"
           "  --threads N   processors to use; changes no result\n"
           "  --quiet       no progress and no warnings\n"
           "  --version     the version\n"
           "  --help        this help, or that of the command\n"
           "\n"
           "Exit codes: 0 done, 2 usage, 3 bad file, 4 input, output or memory, 5 a number that "
           "is\n"
           "not finite, 130 interrupted.\n";
}

const Command& find_command(const std::vector<Command>& commands, const std::string& name) {
    std::vector<std::string> known;
    for (const Command& command : commands) {
        if (command.name == name) return command;
        known.push_back(command.name);
    }
    throw UsageError{"unknown command " + name + did_you_mean(name, known) +
                     " (bert --help lists them)"};
}

// Where the command's name stands: options of all commands may come before it.
std::size_t command_place(const std::vector<std::string>& words) {
    std::size_t i = 0;
    while (i < words.size() && words[i].starts_with("-")) {
        const bool takes_value = words[i] == "--model" || words[i] == "--threads";
        i += takes_value ? 2 : 1;
    }
    return std::min(i, words.size());
}

ExitCode run_words(std::vector<std::string> words, const std::vector<Command>& commands) {
    const std::size_t place = command_place(words);
    const auto end_of_options = words.begin() + static_cast<std::ptrdiff_t>(place);
    const auto before = [&](const char* word) {
        return std::find(words.begin(), end_of_options, word) != end_of_options;
    };
    const bool named = place < words.size() && words[place] != "help";
    if (!named && before("--version")) {
        write_result(version_line() + "\n");
        return ExitCode::success;
    }
    if (!named && (before("--help") || before("-h") || place < words.size())) {
        if (place + 1 < words.size())
            return run_command(find_command(commands, words[place + 1]), {"--help"});
        write_result(help_of_all(commands));
        return ExitCode::success;
    }
    if (!named) {
        const std::string what =
            words.empty() ? "a command is missing" : "a command is missing after " + words.back();
        throw UsageError{what + " (bert --help lists them)"};
    }
    const Command& command = find_command(commands, words[place]);
    words.erase(end_of_options);
    return run_command(command, words);
}

}  // namespace

void Invocation::warn(const std::string& message) const {
    tell("warning: " + message);
}

void Invocation::tell(const std::string& message) const {
    if (!quiet) std::fputs((printable(message) + "\n").c_str(), stderr);
}

std::optional<std::size_t> whole_number(const std::string& option,
                                        const std::optional<std::string>& value, std::size_t lowest,
                                        std::size_t highest) {
    if (!value) return std::nullopt;
    return static_cast<std::size_t>(
        parse_whole_number(option, *value, static_cast<long>(lowest), static_cast<long>(highest)));
}

int run_commands(int argc, const char* const* argv, const std::vector<Command>& commands) {
    return run_guarded([&] {
        require_environment();
        return run_words({argv + std::min(argc, 1), argv + argc}, commands);
    });
}

}  // namespace bert
