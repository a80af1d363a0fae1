#include "common/cli/program.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <omp.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "common/cli/nearest.hpp"
#include "common/cli/threads.hpp"
#include "common/io/file_error.hpp"
#include "common/io/utf8.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/memory.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

namespace {

// Where standard output is closed, the next file to be opened would get its number, and its text.
void require_output() {
    if (fcntl(STDOUT_FILENO, F_GETFD) == -1)
        throw IoError{fmt::format("standard output: {}", std::strerror(errno))};
}

// Without this, messages would go to the first file that is opened.
void keep_standard_error() {
    if (fcntl(STDERR_FILENO, F_GETFD) != -1) return;
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere == -1 || nowhere == STDERR_FILENO) return;
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

// What was printed must have arrived: a full disk or a closed pipe shows only here.
void flush_output() {
    if (std::fflush(stdout) != 0)
        throw IoError{fmt::format("standard output: {}", std::strerror(errno))};
    if (std::ferror(stdout) != 0) throw IoError{"standard output: not all text could be written"};
}

// "; did you mean --out?" for the first word that the program does not know.
std::string suggestion(const CLI::App& app) {
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames())
            known.push_back("--" + name);
    }
    for (const std::string& word : app.remaining()) {
        const std::string nearest = nearest_word(word.substr(0, word.find('=')), known);
        if (!nearest.empty()) return fmt::format("; did you mean {}?", nearest);
    }
    return "";
}

// An option that was given has a value.
void require_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() == 0 || option->get_expected_max() == 0) continue;
        if (!option->results().front().empty()) continue;
        throw UsageError{option->get_name() + ": empty (expected " + option->get_type_name() + ")"};
    }
}

// Bytes of the character at the start of `text`; 0 unless it is valid UTF-8 and no control.
std::size_t visible_bytes(std::string_view text) {
    for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(4, text.size()); ++bytes) {
        const auto points = utf8_to_code_points(text.substr(0, bytes));
        if (!points) continue;
        return is_control(points->front()) ? 0 : bytes;
    }
    return 0;
}

}  // namespace

std::string version_line() {
    return "attention-to-bert " BERT_VERSION;
}

void require_environment() {
    constexpr int most_threads = 1024;
    if (omp_get_max_threads() > most_threads) {
        throw UsageError{fmt::format("OMP_NUM_THREADS: too many (found {}, expected at most {})",
                                     omp_get_max_threads(), most_threads)};
    }
    matmul_method();  // throws for a wrong word in BERT_MATMUL
}

int report_error(ExitCode code, const std::string& message) {
    const std::string line = "error: " + printable(message) + "\n";
    std::fputs(line.c_str(), stderr);
    return static_cast<int>(code);
}

std::string printable(std::string_view text) {
    constexpr std::size_t most = 1000;
    std::string result;
    while (!text.empty()) {
        const std::size_t bytes = visible_bytes(text);
        const std::string next =
            bytes > 0 ? std::string{text.substr(0, bytes)}
                      : fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        if (result.size() + next.size() > most) return result + "...";
        result += next;
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return result;
}

int run_guarded(const std::function<ExitCode()>& body) {
    // A reader that went away, or a limit on the size of files, is an error like a full disk.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    keep_freed_memory();
    spare_addresses();
    try {
        require_output();
        keep_standard_error();
        const ExitCode code = body();
        flush_output();
        return static_cast<int>(code);
    } catch (const FileError& e) {
        return report_error(ExitCode::bad_file, e.what());
    } catch (const IoError& e) {
        return report_error(ExitCode::no_resource, e.what());
    } catch (const NumericError& e) {
        return report_error(ExitCode::numerics, e.what());
    } catch (const CheckFailed& e) {
        return report_error(ExitCode::check_failed, e.what());
    } catch (const Interrupted& e) {
        return report_error(static_cast<ExitCode>(128 + e.signal()), e.what());
    } catch (const std::bad_alloc&) {
        return report_error(ExitCode::no_resource, "out of memory");
    } catch (const std::length_error& e) {
        return report_error(ExitCode::no_resource, e.what());
    } catch (const std::filesystem::filesystem_error& e) {
        return report_error(ExitCode::no_resource, e.path1().string() + ": " + e.code().message());
    } catch (const std::system_error& e) {
        return report_error(ExitCode::no_resource, e.what());
    } catch (const std::invalid_argument& e) {  // UsageError and ShapeError too
        return report_error(ExitCode::usage, e.what());
    } catch (const std::exception& e) {
        return report_error(ExitCode::failure, e.what());
    }
}

int run_chapter(int argc, const char* const* argv, const std::string& description,
                const std::vector<ExtraOption>& extra,
                const std::function<void(const ChapterOptions&)>& body) {
    CLI::App app{description};
    app.set_version_flag("--version", version_line());
    ChapterOptions options;
    app.add_option("--out", options.out, "Folder for the files that the program writes")
        ->type_name("DIR")
        ->expected(1);
    for (const ExtraOption& option : extra) {
        if (option.value_name.empty()) {
            app.add_flag_callback(
                   option.name, [value = option.value] { *value = "yes"; }, option.description)
                ->disable_flag_override();
            continue;
        }
        app.add_option(option.name, *option.value, option.description)
            ->type_name(option.value_name)
            ->expected(1);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& request) {  // --help and --version
        return run_guarded([&] {
            app.exit(request);
            return ExitCode::success;
        });
    } catch (const CLI::ParseError& e) {
        return report_error(ExitCode::usage, fmt::format("{}{} (--help lists the options)",
                                                         e.what(), suggestion(app)));
    }
    return run_guarded([&] {
        require_values(app);
        require_environment();
        if (options.out == "-")
            throw UsageError{"--out: - names no folder (./- is one of that name)"};
        start_threads();
        body(options);
        return ExitCode::success;
    });
}

long parse_whole_number(std::string_view option, std::string_view text, long lowest, long highest) {
    long value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size() || value < lowest ||
        value > highest) {
        throw UsageError{
            fmt::format("{}: not a whole number in range (found {}, expected {} to {})", option,
                        text, lowest, highest)};
    }
    return value;
}

double parse_positive(std::string_view option, std::string_view text, bool zero_too) {
    double value = 0.0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = fault == std::errc{} && end == text.data() + text.size();
    if (!whole || !std::isfinite(value) || value < 0.0 || (value == 0.0 && !zero_too)) {
        throw UsageError{fmt::format("{}: not a number in range (found {}, expected {})", option,
                                     text, zero_too ? "at least 0" : "above 0")};
    }
    return value;
}

}  // namespace bert
