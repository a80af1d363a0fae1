// The folder that --out names.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace bert {

class OutputFolder {
  public:
    /// An empty name: nothing is ever written.
    explicit OutputFolder(std::string folder);

    /// Writes one file whole, or not at all, and prints "wrote FOLDER/NAME". The folder is made
    /// when it is missing. Throws IoError naming the path and what the system said.
    void write(const std::string& name, std::string_view bytes) const;

    /// The same for a writer that wants a path.
    void save(const std::string& name,
              const std::function<void(const std::string& path)>& writer) const;

  private:
    std::string folder_;
};

}  // namespace bert
