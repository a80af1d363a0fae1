#include "ch14_bert/shards.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "common/io/file_error.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_index_bytes = std::uint64_t{32} << 20;
constexpr std::size_t max_files = 500;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

// The index is not trusted: nothing in it may lead out of the folder.
bool is_plain_name(const std::string& name) {
    using namespace std::string_view_literals;
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of("/\\\0"sv) == std::string::npos;
}

// Name of a file -> its tensors.
using WeightMap = std::map<std::string, std::vector<std::string>>;

WeightMap read_index(const std::string& path) {
    const JsonValue index = read_json_file(path, max_index_bytes);
    const JsonValue& map = index.at("weight_map");
    WeightMap tensors_of;
    for (std::size_t i = 0; i < map.keys().size(); ++i) {
        const JsonValue& file = map.items()[i];
        if (!is_plain_name(file.to_string())) {
            file.refuse("not a plain file name", "the name of a file in this folder");
        }
        tensors_of[file.to_string()].push_back(map.keys()[i]);
        if (tensors_of.size() > max_files) {
            file.refuse("too many files", "at most " + std::to_string(max_files));
        }
    }
    return tensors_of;
}

[[noreturn]] void refuse_without_weights(const std::string& folder) {
    if (!is_there(fs::path{folder} / "pytorch_model.bin")) {
        throw FileError{folder, "folder", "no weights", "neither",
                        "model.safetensors or model.safetensors.index.json"};
    }
    throw FileError{
        folder, "pytorch_model.bin",
        "a Python pickle, which could run any code and is not read; where its source is trusted, "
        "this converts it, in the folder: python3 -c \"import torch, safetensors.torch as s; "
        "w = torch.load('pytorch_model.bin', map_location='cpu', weights_only=True); "
        "s.save_file({k: v.clone() for k, v in w.items()}, 'model.safetensors', "
        "{'format': 'pt'})\"",
        "no model.safetensors", "model.safetensors"};
}

}  // namespace

CheckpointFiles::CheckpointFiles(const std::string& path) {
    std::error_code ignored;
    const fs::path file = fs::path{path} / "model.safetensors";
    const fs::path index = fs::path{path} / "model.safetensors.index.json";
    if (!fs::is_directory(path, ignored)) {
        open_file(path);
    } else if (is_there(file)) {
        open_file(file.string());
    } else if (is_there(index)) {
        open_shards(path, index.string());
    } else {
        refuse_without_weights(path);
    }
}

void CheckpointFiles::open_file(const std::string& path) {
    files_.push_back(std::make_unique<const SafetensorsFile>(path));
    for (const SafetensorsEntry& entry : files_.back()->entries()) {
        tensors_.emplace(entry.name, CheckpointTensor{files_.back().get(), &entry});
    }
}

void CheckpointFiles::open_shards(const std::string& folder, const std::string& index_path) {
    for (auto& [name, listed] : read_index(index_path)) {
        const fs::path path = fs::path{folder} / name;
        if (!is_there(path)) {
            throw FileError{index_path, "weight_map", "a file is missing", "no " + shown(name),
                            "it beside the index, with " + shown(listed.front())};
        }
        files_.push_back(std::make_unique<const SafetensorsFile>(path.string(), Links::refuse));
        const SafetensorsFile& file = *files_.back();
        for (const std::string& tensor : listed) {
            if (file.find(tensor) != nullptr) continue;
            throw FileError{path.string(), "tensor " + shown(tensor), "not in this file", "nothing",
                            "it, as the index says"};
        }
        std::sort(listed.begin(), listed.end());
        for (const SafetensorsEntry& entry : file.entries()) {
            if (!std::binary_search(listed.begin(), listed.end(), entry.name)) {
                throw FileError{path.string(), "tensor " + shown(entry.name),
                                "the index does not place it here", "it in this file",
                                "each tensor in the one file that the index gives"};
            }
            tensors_.emplace(entry.name, CheckpointTensor{&file, &entry});
        }
    }
}

const CheckpointTensor* CheckpointFiles::find(std::string_view name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
}

void CheckpointFiles::require_intact() const {
    for (const auto& file : files_)
        file->require_intact();
}

}  // namespace bert
