// Errors about files, all of one form: <path>: <where>: <what> (found X, expected Y).
#pragma once

#include <stdexcept>
#include <string>

namespace bert {

/// A file whose content is not what it should be. Exit code 3.
class FileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    FileError(const std::string& path, const std::string& where, const std::string& what,
              const std::string& found, const std::string& expected)
        : std::runtime_error(path + ": " + where + ": " + what + " (found " + found +
                             ", expected " + expected + ")") {}
};

/// The system refused to open, read, write or rename a file. Exit code 4.
class IoError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace bert
