// Programs run as a user would, and what they print and return.
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

namespace bert::test {

struct Outcome {
    int code = -1;
    std::string out;
    std::string err;
};

inline std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a line of shell in the folder of the built programs.
inline Outcome shell(const std::string& line) {
    const std::filesystem::path folder = scratch_folder("cli");
    const std::string bin = std::string{BERT_BINARY_DIR} + "/bin";
    const std::string whole = "cd '" + bin + "' && { " + line + " ; } 2>'" +
                              (folder / "err").string() + "' >'" + (folder / "out").string() + "'";
    std::cout.flush();
    std::fflush(stdout);
    const int status = std::system(whole.c_str());
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(folder / "out"),
                    content(folder / "err")};
    std::filesystem::remove_all(folder);
    return outcome;
}

/// Runs a built program with these arguments in a folder.
inline Outcome program(const std::filesystem::path& folder, const std::string& name,
                       const std::string& arguments) {
    return shell("cd '" + folder.string() + "' && '" + BERT_BINARY_DIR + "/bin/" + name + "' " +
                 arguments);
}

/// One line of error that holds `message`, nothing on standard output, and this exit code.
inline void check_refused(const Outcome& outcome, int code, const std::string& message) {
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.substr(0, 7) == "error: ");
    CHECK(outcome.err.ends_with("\n"));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK_THAT(outcome.err, ContainsSubstring(message));
}

}  // namespace bert::test
