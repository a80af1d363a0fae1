// Numbers that are too many for memory, in a file that nobody else sees.
//
// The file has no name as soon as it is open, so that it is gone however the program ends. First
// all numbers are added, then they are looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bert {

/// The folder of a file to be written, or the system's for temporary files where that path is empty
/// or leads to no regular file (/dev/stdout).
std::string scratch_folder_beside(const std::string& path);

/// Throws IoError: folder, what was tried, the system's reason.
class ScratchFile {
  public:
    explicit ScratchFile(std::string folder);
    ~ScratchFile();
    ScratchFile(ScratchFile&& other) noexcept;
    ScratchFile& operator=(ScratchFile&& other) noexcept;

    void write(std::string_view bytes);
    /// All bytes so far, which the system reads when they are looked at. Nothing may be written
    /// any more.
    std::string_view map();
    /// After map(): the memory of bytes that were looked at goes back. They stay readable.
    void release() const;

  private:
    void flush();
    void close() noexcept;
    [[noreturn]] void fail(const std::string& tried) const;

    std::string folder_;
    std::string waiting_;
    std::size_t size_ = 0;  // bytes in the file
    int file_ = -1;
    void* mapping_ = nullptr;
};

template <typename T>
requires std::is_trivially_copyable_v<T>
class ScratchNumbers {
  public:
    explicit ScratchNumbers(std::string folder) : file_(std::move(folder)) {}

    void add(const T& x) { add(std::span{&x, 1}); }
    void add(std::span<const T> numbers) {
        file_.write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
        size_ += numbers.size();
    }
    std::size_t size() const { return size_; }
    /// All numbers so far; good as long as this object. No more may be added.
    std::span<const T> map() { return {reinterpret_cast<const T*>(file_.map().data()), size_}; }
    void release() const { file_.release(); }

  private:
    ScratchFile file_;
    std::size_t size_ = 0;
};

}  // namespace bert
