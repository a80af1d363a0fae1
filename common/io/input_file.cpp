#include "common/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& tried, int reason) {
    throw IoError{path + ": cannot " + tried +
                  " this file: " + std::generic_category().message(reason)};
}

const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

// Standard input to its end, in a file that has no name.
int copy_of_standard_input(const std::string& path) {
    FILE* const copy = std::tmpfile();
    if (copy == nullptr) fail(path, "copy", errno);
    std::vector<char> bytes(std::size_t{1} << 16);
    int reason = 0;
    for (ssize_t count = 1; count != 0 && reason == 0;) {
        count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        const std::size_t size = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
        if (count < 0 || std::fwrite(bytes.data(), 1, size, copy) != size) reason = errno;
    }
    if (reason == 0 && std::fflush(copy) != 0) reason = errno;
    const int file = reason == 0 ? ::fcntl(::fileno(copy), F_DUPFD_CLOEXEC, 0) : -1;
    if (reason == 0 && file < 0) reason = errno;
    std::fclose(copy);
    if (file < 0) fail(path, "copy", reason);
    return file;
}

bool is_regular(int file) {
    struct stat status {};
    return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

int open_file(const std::string& path, Links links) {
    if (path == "/dev/stdin" && !is_regular(STDIN_FILENO)) return copy_of_standard_input(path);
    // O_NONBLOCK: a FIFO opens at once, to be refused, instead of waiting for its writer.
    constexpr int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    return ::open(path.c_str(), links == Links::follow ? flags : flags | O_NOFOLLOW);
}

}  // namespace

InputFile::InputFile(std::string path, Links links) : path_(std::move(path)) {
    file_ = open_file(path_, links);
    if (file_ < 0 && errno == ELOOP && links == Links::refuse) {
        throw FileError{path_, "file", "is a symbolic link", "a link", "the file itself"};
    }
    if (file_ < 0) fail(path_, "open", errno);
    struct stat status {};
    const int reason = ::fstat(file_, &status) == 0 ? 0 : errno;
    if (reason == 0 && S_ISREG(status.st_mode)) {
        size_ = static_cast<std::uint64_t>(status.st_size);
        seconds_ = status.st_mtim.tv_sec;
        nanoseconds_ = status.st_mtim.tv_nsec;
        return;
    }
    ::close(file_);
    if (reason != 0) fail(path_, "examine", reason);
    throw FileError{path_, "file", "cannot be read as a whole", kind_of(status.st_mode),
                    "a regular file"};
}

InputFile::~InputFile() {
    ::close(file_);
}

bool InputFile::is_unchanged() const {
    struct stat status {};
    return ::fstat(file_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) == size_ &&
           status.st_mtim.tv_sec == seconds_ && status.st_mtim.tv_nsec == nanoseconds_;
}

std::string InputFile::read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset) {
        throw FileError{path_, "byte " + std::to_string(offset), "the file ends too early",
                        std::to_string(offset > size_ ? 0 : size_ - offset) + " bytes",
                        std::to_string(count)};
    }
    constexpr std::size_t largest_step = std::size_t{1} << 30;  // the system gives less than 2^31
    std::string bytes(static_cast<std::size_t>(count), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got =
            ::pread(file_, bytes.data() + done, std::min(bytes.size() - done, largest_step),
                    static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(path_, "read", errno);
        if (got == 0) {
            throw FileError{path_, "byte " + std::to_string(offset + done),
                            "the file shrank while it was read", "its end",
                            std::to_string(bytes.size() - done) + " more bytes"};
        }
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

std::string read_file(const std::string& path, std::uint64_t max_bytes) {
    const InputFile file{path};
    if (file.size() > max_bytes) {
        throw FileError{path, "file", "is too large", std::to_string(file.size()) + " bytes",
                        "at most " + std::to_string(max_bytes)};
    }
    return file.read(0, file.size());
}

}  // namespace bert
