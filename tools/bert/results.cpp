#include "tools/bert/results.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "ch14_bert/config.hpp"
#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"
#include "common/io/mapped_file.hpp"

namespace bert {

namespace fs = std::filesystem;

namespace {

// Of a file on a disk: a terminal or a pipe may be both.
bool is_standard_input(const std::string& path) {
    struct stat input {};
    struct stat output {};
    return fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) &&
           stat(path.c_str(), &output) == 0 && input.st_dev == output.st_dev &&
           input.st_ino == output.st_ino;
}

}  // namespace

void write_result(std::string_view text) {
    require_mapped_files_intact();
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
    throw IoError{fmt::format("standard output: {}", std::strerror(errno))};
}

void append_number(std::string& text, Real x, char before) {
    fmt::format_to(std::back_inserter(text), "{}{}", before, x);
}

void append_list(std::string& text, std::span<const Real> numbers) {
    char before = '[';
    for (const Real number : numbers) {
        append_number(text, number, before);
        before = ',';
    }
    text += numbers.empty() ? "[]" : "]";
}

void require_output_name(const std::string& option, const std::string& path) {
    if (path != "-") return;
    throw UsageError{option +
                     ": - names no file (./- is one of that name, /dev/stdout standard output)"};
}

void require_output_path(const std::string& option, const std::string& path,
                         const std::vector<std::string>& inputs) {
    require_output_name(option, path);
    std::error_code fault;
    if (fs::is_directory(path, fault))
        throw UsageError{option + ": " + path + " is a folder (expected a file)"};
    const fs::path folder = fs::path{path}.parent_path();
    if (!folder.empty() && !fs::is_directory(folder, fault))
        throw UsageError{option + ": there is no folder " + folder.string()};
    for (const std::string& input : inputs) {
        if (input == "-" && is_standard_input(path))
            throw UsageError{option + ": " + path + " is what standard input reads"};
        if (input != "-" && fs::equivalent(path, input, fault))
            throw UsageError{option + ": " + path + " is the input " + input};
    }
}

void require_output_folder(const std::string& option, const std::string& path) {
    std::error_code fault;
    if (fs::exists(path, fault) && !fs::is_directory(path, fault))
        throw UsageError{option + ": " + path + " is a file (expected a folder)"};
    fs::path folder{path};
    if (!folder.has_filename()) folder = folder.parent_path();  // DIR/
    const fs::path parent = folder.parent_path();
    if (!parent.empty() && !fs::is_directory(parent, fault))
        throw UsageError{option + ": there is no folder " + parent.string()};
}

void require_room(const std::string& what, double bytes) {
    // What is left of the memory is for the model and for one part of the work.
    const double limit = 0.75 * static_cast<double>(memory_limit());
    if (bytes <= limit) return;
    throw std::length_error{too_large(what + " needs", bytes, limit)};
}

}  // namespace bert
