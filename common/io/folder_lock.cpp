#include "common/io/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "common/io/file_error.hpp"

namespace bert {

FolderLock::FolderLock(const std::string& folder) {
    std::error_code fault;
    std::filesystem::create_directories(folder, fault);
    if (fault) throw IoError{folder + ": cannot make the folder: " + fault.message()};
    const std::string path = (std::filesystem::path{folder} / "lock").string();
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file_ == -1) throw IoError{path + ": cannot open for writing: " + std::strerror(errno)};
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    const int reason = errno;
    close(file_);
    throw IoError{path + ": " +
                  (reason == EWOULDBLOCK ? "another program is at work in this folder"
                                         : std::string{"cannot lock: "} + std::strerror(reason))};
}

FolderLock::~FolderLock() {
    close(file_);
}

}  // namespace bert
