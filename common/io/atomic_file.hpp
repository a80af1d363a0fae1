// Whole files or none: a reader never meets half of one, whatever fails on the way.
#pragma once

#include <string>
#include <string_view>

namespace bert {

/// A file in the making. The bytes go to a temporary file in the target's folder; commit() syncs it
/// and gives it the target's name; without commit() it disappears.
///
/// A target that is there but is no regular file (/dev/null, a pipe, /dev/stdout) gets the bytes
/// directly: it cannot be replaced. A FIFO that nobody reads is an error.
///
/// Every function throws IoError: path, what was tried, the system's reason.
class AtomicFile {
  public:
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view bytes);
    /// Once, after the last write.
    void commit();

  private:
    void open_directly(int duplicate_of);
    void open_temporary();
    [[noreturn]] void fail(const std::string& tried) const;

    std::string path_;       // as the caller named it
    std::string target_;     // with a link followed
    std::string temporary_;  // empty: written directly, or committed
    int noted_ = -1;         // where remove_own_temporaries() finds it
    int file_ = -1;
};

/// One file with these bytes.
void write_file(const std::string& path, std::string_view bytes);

/// Removes the temporary files of this program. For a signal's handler: the program has to end
/// then.
void remove_own_temporaries() noexcept;

/// Removes what programs that are no longer running left of files that they had not committed.
/// What cannot be read or removed stays.
void remove_leftover_temporaries(const std::string& folder);

}  // namespace bert
