// How the fuzzers' functions tell that something is wrong, and how they make a file of bytes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/io/file_error.hpp"

namespace bert::test {

/// Ends the program when a promise is broken; a fuzzer then keeps the bytes that did it.
inline void promise(bool kept, const char* what) {
    if (kept) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

/// The form of every error about a file: one line, path first, with what was found and expected.
inline void check_message(const FileError& e, std::string_view path) {
    const std::string_view message = e.what();
    promise(message.starts_with(path), "the message names the path first");
    promise(message.find(" (found ") != std::string_view::npos, "the message says what was found");
    promise(message.find(", expected ") != std::string_view::npos, "... and what was expected");
    promise(message.size() < 1000, "the message is short");
    for (const char c : message)
        promise(c >= ' ' || c < 0, "the message is one line");
}

/// Bytes as a file, in memory.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        promise(file_ >= 0, "a file in memory can be made");
        while (!bytes.empty()) {
            const ssize_t written = ::write(file_, bytes.data(), bytes.size());
            promise(written > 0, "... and written");
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    ~MemoryFile() { ::close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

  private:
    int file_;
};

}  // namespace bert::test
