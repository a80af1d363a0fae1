#include "common/io/scratch_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "common/io/file_error.hpp"

namespace bert {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 18;

// -1 with errno. Where the system has no files without a name, this one loses its name at once.
int open_nameless(const std::string& folder) {
#ifdef O_TMPFILE
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
#endif
    std::string name = folder + "/.scratch-XXXXXX";
    const int named = ::mkstemp(name.data());
    if (named < 0) return -1;
    ::unlink(name.c_str());
    ::fcntl(named, F_SETFD, FD_CLOEXEC);
    return named;
}

}  // namespace

std::string scratch_folder_beside(const std::string& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (path.empty() || (fs::exists(status) && !fs::is_regular_file(status)))
        return fs::temp_directory_path().string();
    const std::string folder = fs::path{path}.parent_path().string();
    return folder.empty() ? "." : folder;
}

ScratchFile::ScratchFile(std::string folder)
    : folder_(std::move(folder)), file_(open_nameless(folder_)) {
    if (file_ < 0) fail("make");
}

ScratchFile::~ScratchFile() {
    close();
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      waiting_(std::move(other.waiting_)),
      size_(std::exchange(other.size_, 0)),
      file_(std::exchange(other.file_, -1)),
      mapping_(std::exchange(other.mapping_, nullptr)) {}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
    if (this == &other) return *this;
    close();
    folder_ = std::move(other.folder_);
    waiting_ = std::move(other.waiting_);
    size_ = std::exchange(other.size_, 0);
    file_ = std::exchange(other.file_, -1);
    mapping_ = std::exchange(other.mapping_, nullptr);
    return *this;
}

void ScratchFile::close() noexcept {
    if (mapping_ != nullptr) ::munmap(mapping_, size_);
    if (file_ >= 0) ::close(file_);
    mapping_ = nullptr;
    file_ = -1;
}

void ScratchFile::write(std::string_view bytes) {
    if (mapping_ != nullptr) throw std::logic_error{"ScratchFile: written to after map()"};
    waiting_ += bytes;
    if (waiting_.size() >= bytes_at_once) flush();
}

void ScratchFile::flush() {
    std::string_view rest = waiting_;
    while (!rest.empty()) {
        const ssize_t count = ::write(file_, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = EIO;
        if (count <= 0) fail("write");
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    size_ += waiting_.size();
    waiting_.clear();
}

std::string_view ScratchFile::map() {
    flush();
    if (mapping_ == nullptr && size_ > 0) {
        void* const place = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_, 0);
        if (place == MAP_FAILED) fail("map");
        mapping_ = place;
    }
    return {static_cast<const char*>(mapping_), size_};
}

void ScratchFile::release() const {
    if (mapping_ != nullptr) ::madvise(mapping_, size_, MADV_DONTNEED);
}

void ScratchFile::fail(const std::string& tried) const {
    const std::string reason = std::generic_category().message(errno);
    throw IoError{folder_ + ": cannot " + tried + " a temporary file here: " + reason};
}

}  // namespace bert
