// The tensors of a checkpoint, whether they lie in one file or in several.
//
//     model.safetensors                all tensors; or
//     model.safetensors.index.json     {"weight_map": {name of a tensor: name of its file}} and
//     model-00001-of-00002.safetensors and so on
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/safetensors.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// A tensor and the file that holds it, both good as long as the CheckpointFiles.
struct CheckpointTensor {
    const SafetensorsFile* file = nullptr;
    const SafetensorsEntry* entry = nullptr;

    Tensor tensor() const { return file->tensor(*entry); }
    std::string_view bytes() const { return file->bytes(*entry); }
};

class CheckpointFiles {
  public:
    /// A folder, or a single .safetensors file. Throws IoError when a file does not open. Throws
    /// FileError when a file is not as it should be; when a folder has neither of the two above
    /// (where it has pytorch_model.bin, which is never read, the message says how to convert it);
    /// and when the index names a file that is not a plain name in the folder, or a tensor is not
    /// in exactly the file that the index gives.
    explicit CheckpointFiles(const std::string& path);

    /// All tensors by their names.
    const std::map<std::string_view, CheckpointTensor>& tensors() const { return tensors_; }
    /// Null when there is no tensor of this name.
    const CheckpointTensor* find(std::string_view name) const;
    /// In the order of their names.
    const std::vector<std::unique_ptr<const SafetensorsFile>>& files() const { return files_; }

    /// Throws FileError when a file was cut short or written to since it was opened.
    void require_intact() const;

  private:
    void open_file(const std::string& path);
    void open_shards(const std::string& folder, const std::string& index_path);

    std::vector<std::unique_ptr<const SafetensorsFile>> files_;
    std::map<std::string_view, CheckpointTensor> tensors_;
};

}  // namespace bert
