#include "common/cli/output_folder.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "common/cli/program.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"

namespace bert {

OutputFolder::OutputFolder(std::string folder) : folder_(std::move(folder)) {}

void OutputFolder::write(const std::string& name, std::string_view bytes) const {
    save(name, [&](const std::string& path) { write_file(path, bytes); });
}

void OutputFolder::save(const std::string& name,
                        const std::function<void(const std::string& path)>& writer) const {
    if (folder_.empty()) return;
    std::error_code fault;
    std::filesystem::create_directories(folder_, fault);
    if (fault) throw IoError{folder_ + ": cannot make the folder: " + fault.message()};
    const std::string path = (std::filesystem::path{folder_} / name).string();
    writer(path);
    fmt::print("wrote {}\n", printable(path));
}

}  // namespace bert
