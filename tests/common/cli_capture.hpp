// What a function prints and returns.
#pragma once

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>

#include "tests/support/check_tensor.hpp"
#include "tests/support/shell.hpp"

namespace bert::test {

/// Sends one of the two standard streams to a file, or with an empty path closes it, until it is
/// destroyed.
class Redirected {
  public:
    Redirected(FILE* stream, const std::string& path)
        : stream_(stream), number_(fileno(stream)), saved_(dup(number_)) {
        std::cout.flush();
        std::fflush(stream_);
        if (path.empty()) {
            close(number_);
            return;
        }
        const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(file, number_);
        close(file);
    }
    ~Redirected() {
        std::cout.flush();
        std::fflush(stream_);
        __fpurge(stream_);  // what a full device did not take
        std::clearerr(stream_);
        std::cout.clear();
        dup2(saved_, number_);
        close(saved_);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;

  private:
    FILE* stream_;
    int number_;
    int saved_;
};

/// Runs `body` with both standard streams in files; `out` may name another place for the first.
inline Outcome capture(const std::function<int()>& body, const char* out = nullptr) {
    const std::filesystem::path folder = scratch_folder("cli");
    const std::string out_path = (folder / "out").string();
    const std::string err_path = (folder / "err").string();
    Outcome outcome;
    {
        const Redirected err(stderr, err_path);
        const Redirected standard(stdout, out == nullptr ? out_path : out);
        outcome.code = body();
    }
    outcome.out = content(out_path);
    outcome.err = content(err_path);
    std::filesystem::remove_all(folder);
    return outcome;
}

}  // namespace bert::test
