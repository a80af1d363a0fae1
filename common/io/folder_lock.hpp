// One program at a time in a folder.
#pragma once

#include <string>

namespace bert {

/// Holds FOLDER/lock while it lives. The system lets go of it when the program ends, however it
/// ends, so that the file left behind locks nobody out.
class FolderLock {
  public:
    /// Makes the folder when it is missing. Throws IoError when another program holds the lock, or
    /// the folder cannot be written to.
    explicit FolderLock(const std::string& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int file_ = -1;
};

}  // namespace bert
