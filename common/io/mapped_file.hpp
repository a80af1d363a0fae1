// A file as bytes in memory that the system reads when they are looked at: no copy, and no time
// for what nobody looks at.
//
// A file that another program cuts short takes bytes away from under a running one, which by
// default kills it with SIGBUS. Here a signal handler puts zeros in their place and marks the file
// as damaged; require_intact() tells. Whoever uses the bytes calls it once afterwards. The handler
// is set by the first mapping and leaves other faults to the handler that was there before. The
// project's programs never write into a file that is there: they replace it (atomic_file.hpp), and
// a mapping keeps the old one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/io/input_file.hpp"

namespace bert {

class MappedFile {
  public:
    /// Throws as InputFile does, and IoError when the system cannot map the file.
    explicit MappedFile(std::string path, Links links = Links::follow);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::string& path() const { return file_.path(); }
    /// The whole file, at an address that is a multiple of the page size.
    std::string_view bytes() const { return {begin_, size_}; }

    /// Throws FileError when the file is shorter, or was written to, since it was opened.
    void require_intact() const;

  private:
    InputFile file_;
    const char* begin_ = nullptr;
    std::size_t size_ = 0;
    int slot_ = -1;  // in the handler's table
};

/// require_intact() of every file that is mapped now: before results go out that may come from any.
void require_mapped_files_intact();

/// Bytes of a mapped file that nobody will look at for a while give their memory back: the whole
/// pages among them leave it, and are read again when they are looked at. Other memory is left
/// alone.
void release_mapped_pages(const void* begin, std::size_t size);

}  // namespace bert
