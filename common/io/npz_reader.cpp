#include <algorithm>
#include <utility>

#include "common/io/crc32.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/io/npy_format.hpp"
#include "common/io/npz.hpp"
#include "common/io/zip_directory.hpp"
#include "common/io/zip_format.hpp"

namespace bert {

namespace {

NpyArray read_entry(const InputFile& file, const ZipEntry& entry, const std::string& where) {
    const std::string beginning =
        file.read(entry.data, std::min<std::uint64_t>(entry.size, npy_header_limit));
    NpyHeader header = parse_npy_header(file.path(), where, beginning, entry.size);
    std::string bytes = file.read(entry.data + header.bytes, entry.size - header.bytes);
    const std::string_view head = std::string_view{beginning}.substr(0, header.bytes);
    const std::uint32_t sum = crc32(crc32(0, head), bytes);
    if (sum != entry.crc) {
        throw FileError{file.path(), where, "check sum differs: the file is damaged",
                        std::to_string(sum), std::to_string(entry.crc)};
    }
    return {file.path(), where, std::move(header.dtype), std::move(header.shape), std::move(bytes)};
}

}  // namespace

std::map<std::string, NpyArray> read_npz(const std::string& path) {
    const InputFile file{path};
    std::map<std::string, NpyArray> arrays;
    for (const ZipEntry& entry : read_zip_directory(file)) {
        const std::string where = "entry " + entry.name;
        if (!entry.name.ends_with(npy_ending) || entry.name.size() == npy_ending.size()) {
            throw FileError{path, where, "not an array", "this name", "a name ending in .npy"};
        }
        const std::string name = entry.name.substr(0, entry.name.size() - npy_ending.size());
        if (arrays.contains(name)) {
            throw FileError{path, where, "a name twice", name, "each name once"};
        }
        arrays.emplace(name, read_entry(file, entry, where));
    }
    return arrays;
}

}  // namespace bert
