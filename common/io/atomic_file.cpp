#include "common/io/atomic_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path{path}.parent_path().string();
    return folder.empty() ? "." : folder;
}

const std::string temporary_start = ".write-";
const std::string temporary_end = ".tmp";

// Short, and independent of the target's name, which may already have the greatest length allowed.
std::string temporary_name(const std::string& folder) {
    static std::atomic<unsigned> counter{0};
    return folder + "/" + temporary_start + std::to_string(::getpid()) + "-" +
           std::to_string(counter++) + temporary_end;
}

// A new name survives a power failure once its folder is on the disk too. 0, or -1 with errno.
int sync_folder(const std::string& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno == EACCES ? 0 : -1;  // a folder may be write-only
    const int result = ::fsync(descriptor);
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    return result != 0 && reason == EINVAL ? 0 : result;  // EINVAL: no file system to sync
}

// The names that remove_own_temporaries() may look at: memory that stays, states without locks.
// Whoever took a name from `full` may use it; after a signal it stays `taken`.
struct NotedName {
    enum State { free, busy, full, taken };
    std::atomic<State> state{free};
    std::array<char, PATH_MAX> text{};

    bool change(State from, State to) { return state.compare_exchange_strong(from, to); }
};
std::array<NotedName, 8> noted_names;  // of more files at once some stay after a signal
static_assert(std::atomic<NotedName::State>::is_always_lock_free);

// Where the name is noted; -1: nowhere.
int note(const std::string& name) {
    if (name.size() >= PATH_MAX) return -1;
    for (std::size_t i = 0; i < noted_names.size(); ++i) {
        if (!noted_names[i].change(NotedName::free, NotedName::busy)) continue;
        std::copy_n(name.c_str(), name.size() + 1, noted_names[i].text.begin());
        noted_names[i].state = NotedName::full;
        return static_cast<int>(i);
    }
    return -1;
}

void forget(int place) {
    if (place >= 0)
        noted_names[static_cast<std::size_t>(place)].change(NotedName::full, NotedName::free);
}

}  // namespace

void remove_own_temporaries() noexcept {
    for (NotedName& name : noted_names)
        if (name.change(NotedName::full, NotedName::taken)) ::unlink(name.text.data());
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
    struct stat status {};
    if (path_ == "/dev/stdout") {
        open_directly(STDOUT_FILENO);
    } else if (path_ == "/dev/stderr") {
        open_directly(STDERR_FILENO);
    } else if (::stat(path_.c_str(), &status) != 0) {
        open_temporary();
    } else if (S_ISREG(status.st_mode)) {
        std::error_code ignored;
        const auto followed = std::filesystem::canonical(path_, ignored);
        if (!followed.empty()) target_ = followed.string();
        open_temporary();
        // Permissions that are not ours to give stay as the system made them.
        if (::fchmod(file_, status.st_mode & 07777U) != 0) errno = 0;
    } else if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        fail("open for writing");
    } else {
        open_directly(-1);
    }
}

AtomicFile::~AtomicFile() {
    if (file_ >= 0) ::close(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    forget(noted_);
}

void AtomicFile::open_directly(int duplicate_of) {
    // A pipe that nobody reads is refused (ENXIO) rather than waited for.
    file_ = duplicate_of >= 0 ? ::fcntl(duplicate_of, F_DUPFD_CLOEXEC, 0)
                              : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file_ < 0) fail("open for writing");
    if (duplicate_of < 0 && ::fcntl(file_, F_SETFL, 0) != 0) fail("open for writing");
}

void AtomicFile::open_temporary() {
    const std::string folder = folder_of(target_);
    do {
        temporary_ = temporary_name(folder);
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (file_ < 0 && errno == EEXIST);
    if (file_ < 0) fail("open for writing");
    noted_ = note(temporary_);
}

void AtomicFile::write(std::string_view bytes) {
    constexpr std::size_t largest_step = std::size_t{1} << 30;  // the system takes less than 2^31
    while (!bytes.empty()) {
        const ssize_t count = ::write(file_, bytes.data(), std::min(bytes.size(), largest_step));
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = EIO;
        if (count <= 0) fail("write");
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void AtomicFile::commit() {
    if (!temporary_.empty() && ::fsync(file_) != 0) fail("sync");
    if (::close(std::exchange(file_, -1)) != 0) fail("close");
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename to");
    temporary_.clear();
    if (sync_folder(folder_of(target_)) != 0) fail("sync the folder of");
}

void AtomicFile::fail(const std::string& tried) const {
    const std::string reason = std::generic_category().message(errno);
    throw IoError{path_ + ": cannot " + tried + " this file: " + reason};
}

void write_file(const std::string& path, std::string_view bytes) {
    AtomicFile file{path};
    file.write(bytes);
    file.commit();
}

void remove_leftover_temporaries(const std::string& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator{folder, ignored}) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(temporary_start) || !name.ends_with(temporary_end)) continue;
        const char* const digits = name.data() + temporary_start.size();
        pid_t writer = 0;
        const auto [end, fault] = std::from_chars(digits, name.data() + name.size(), writer);
        const bool is_ours = fault == std::errc{} && *end == '-' && writer > 0;
        const bool is_running = is_ours && (::kill(writer, 0) == 0 || errno != ESRCH);
        if (is_ours && !is_running) std::filesystem::remove(entry.path(), ignored);
    }
}

}  // namespace bert
