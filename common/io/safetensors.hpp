// Hugging Face's .safetensors files: named tensors, and nothing that could run.
//
// A file is mapped, not read: opening one costs the time of its header, and a tensor whose numbers
// lie there as Real is handed out without a copy. What may be in a file that is not trusted, and
// what is refused: safetensors_format.hpp. Names of tensors are never used as names of files.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/input_file.hpp"
#include "common/io/mapped_file.hpp"
#include "common/io/safetensors_format.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

class SafetensorsFile {
  public:
    /// Throws IoError when the file does not open, FileError when it is not as it should be.
    explicit SafetensorsFile(std::string path, Links links = Links::follow);

    const std::string& path() const { return file_->path(); }
    const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
    /// In the order of their bytes.
    const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }
    /// Null when there is no tensor of this name.
    const SafetensorsEntry* find(std::string_view name) const;

    /// The bytes of one of the entries; good as long as this object, or a copy of it.
    std::string_view bytes(const SafetensorsEntry& entry) const;
    /// Its numbers, from F16, BF16, F32 or F64. Those of Real's own type stay in the file, which
    /// stays open as long as the tensor; see MappedFile::require_intact. Others are converted,
    /// exactly where Real can. Throws FileError naming the tensor for other types, and for a finite
    /// number that Real cannot hold.
    Tensor tensor(const SafetensorsEntry& entry) const;

    /// Throws FileError when the file was cut short or written to since it was opened.
    void require_intact() const { file_->require_intact(); }

  private:
    std::shared_ptr<const MappedFile> file_;
    SafetensorsHeader header_;
    std::vector<std::size_t> by_name_;  // entries in the order of their names
};

/// The order of calls does not matter: the same tensors give the same bytes, larger types first,
/// then by name, as Python's library does.
class SafetensorsWriter {
  public:
    /// A tensor's numbers as F32 or the type given: F16, BF16, F32 or F64, rounded to the nearest;
    /// what the type cannot hold becomes infinite. Both throw std::invalid_argument for a name that
    /// is taken, is not UTF-8 or has control characters, for another type here, and after 100,000
    /// tensors; ShapeError above rank 8, and when the bytes are not those of type and shape.
    void add(std::string name, Tensor x, SafetensorsType type = SafetensorsType::F32);
    /// Bytes as they lie in a file. They are not copied, and must be there until write().
    void add_bytes(std::string name, SafetensorsType type, Shape shape, std::string_view bytes);
    /// Text in the header. "format" is "pt" unless set, as transformers asks for.
    void set_metadata(const std::string& key, std::string value);

    /// The whole file or nothing (AtomicFile). Throws IoError; std::length_error when the header
    /// would be above 100 MB.
    void write(const std::string& path) const;

  private:
    struct Entry {
        SafetensorsType type = SafetensorsType::F32;
        Shape shape;
        std::string_view bytes;  // used when the tensor is empty
        Tensor tensor;
    };
    void put(std::string name, Entry entry);
    std::string header(const std::vector<std::pair<std::string_view, const Entry*>>& sorted) const;

    std::map<std::string, Entry> entries_;
    std::map<std::string, std::string> metadata_{{"format", "pt"}};
};

}  // namespace bert
