// Regular files for reading.
#pragma once

#include <cstdint>
#include <string>

namespace bert {

/// An open file of known size. Never waits: what is not a regular file is refused.
class InputFile {
  public:
    /// Throws IoError when it does not open, FileError when it is not a regular file.
    explicit InputFile(std::string path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }

    /// The bytes [offset, offset + count). Throws FileError when the file does not hold them,
    /// before it takes memory for them; IoError when reading fails.
    std::string read(std::uint64_t offset, std::uint64_t count) const;

  private:
    std::string path_;
    std::uint64_t size_ = 0;
    int file_ = -1;
};

/// All bytes of a regular file. Throws as InputFile does; FileError too above max_bytes.
std::string read_file(const std::string& path, std::uint64_t max_bytes);

}  // namespace bert
