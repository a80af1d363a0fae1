#include "common/io/data_file.hpp"

#include <array>
#include <filesystem>

namespace bert {

namespace {

namespace fs = std::filesystem;

fs::path beside_the_program() {
    std::error_code fault;
    const fs::path program = fs::read_symlink("/proc/self/exe", fault);
    return program.parent_path().parent_path() / "share" / "attention_to_bert";
}

std::string data_folder() {
    const std::array<fs::path, 3> folders = {beside_the_program(), BERT_DATA_DIR,
                                             BERT_INSTALLED_DATA_DIR};
    std::error_code fault;
    for (const fs::path& folder : folders)
        if (fs::is_directory(folder, fault)) return folder.string();
    return BERT_DATA_DIR;
}

}  // namespace

std::string data_file(const std::string& name) {
    static const std::string folder = data_folder();
    return folder + "/" + name;
}

}  // namespace bert
