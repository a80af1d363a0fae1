// Regular files for reading.
#pragma once

#include <cstdint>
#include <string>

namespace bert {

/// Whether a path whose last part is a symbolic link is opened.
enum class Links { follow, refuse };

/// An open file of known size. Never waits: what is not a regular file is refused, but for
/// /dev/stdin, which is copied to its end first.
class InputFile {
  public:
    /// Throws IoError when it does not open, FileError when it is not a regular file, or is a
    /// symbolic link that was to be refused.
    explicit InputFile(std::string path, Links links = Links::follow);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    /// The system's number of the open file.
    int descriptor() const { return file_; }
    /// Whether its size, and the time when it was last written to, are still those of the opening.
    bool is_unchanged() const;

    /// The bytes [offset, offset + count). Throws FileError when the file does not hold them,
    /// before it takes memory for them; IoError when reading fails.
    std::string read(std::uint64_t offset, std::uint64_t count) const;

  private:
    std::string path_;
    std::uint64_t size_ = 0;
    std::int64_t seconds_ = 0;  // of the last change
    std::int64_t nanoseconds_ = 0;
    int file_ = -1;
};

/// All bytes of a regular file. Throws as InputFile does; FileError too above max_bytes.
std::string read_file(const std::string& path, std::uint64_t max_bytes);

}  // namespace bert
