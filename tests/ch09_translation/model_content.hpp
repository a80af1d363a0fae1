// The arrays of a model file or checkpoint, to write a file that differs from a sound one in one
// thing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ch09_translation/model_file.hpp"
#include "common/io/npz.hpp"

namespace bert::test {

struct Content {
    std::map<std::string, Tensor> tensors;
    std::map<std::string, std::vector<std::int64_t>> ints;
    std::map<std::string, std::vector<std::string>> strings;
};

inline Content read_content(const std::string& path) {
    Content content;
    for (const auto& [name, array] : read_npz(path)) {
        if (array.dtype().starts_with("<f")) content.tensors.emplace(name, array.to_tensor());
        if (array.dtype() == "<i8") content.ints.emplace(name, array.to_ints());
        if (array.dtype().starts_with("<U")) content.strings.emplace(name, array.to_strings());
    }
    return content;
}

inline void write_content(const std::string& path, const Content& content) {
    NpzWriter writer;
    for (const auto& [name, x] : content.tensors)
        writer.add(name, x, exact_float);
    for (const auto& [name, values] : content.ints)
        writer.add_ints(name, {values.size()}, values);
    for (const auto& [name, values] : content.strings)
        writer.add_strings(name, {values.size()}, values);
    writer.write(path);
}

}  // namespace bert::test
