#include "ch15_pretraining/checkpoint_sums.hpp"

#include <algorithm>
#include <cstddef>

#include "common/io/file_error.hpp"
#include "common/io/sha256.hpp"

namespace bert {

namespace {

const std::string header_key = "sha256";
const std::string tensor_key = "sha256/";

std::string sum_of(const Tensor& x) {
    const auto* const bytes = static_cast<const char*>(static_cast<const void*>(x.data()));
    return sha256({bytes, x.size() * sizeof(Real)});
}

std::vector<std::string> sums_of(const std::vector<NamedTensor>& tensors) {
    std::vector<std::string> sums(tensors.size());
    const auto count = static_cast<std::ptrdiff_t>(tensors.size());
#pragma omp parallel for schedule(dynamic)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto place = static_cast<std::size_t>(i);
        sums[place] = sum_of(tensors[place].tensor);
    }
    return sums;
}

// Of all but itself, in an order and form that leave nothing open.
std::string header_sum(const std::map<std::string, std::string>& metadata,
                       const std::vector<NamedTensor>& tensors) {
    std::map<std::string, std::string> lines = metadata;
    lines.erase(header_key);
    for (const NamedTensor& x : tensors)
        lines["shape/" + x.name] = to_string(x.tensor.shape());
    Sha256 sum;
    for (const auto& [key, value] : lines) {
        for (const std::string& text : {key, value})
            sum.add(std::to_string(text.size()) + ":" + text);
    }
    return sum.digits();
}

void require_sum(const std::string& path, const std::map<std::string, std::string>& metadata,
                 const std::string& key, const std::string& name, const std::string& found) {
    const auto noted = metadata.find(key);
    const std::string expected = noted == metadata.end() ? "none" : noted->second;
    if (found == expected) return;
    throw FileError{path, "sha256", "checksum mismatch in " + name, found.substr(0, 12) + "...",
                    expected.substr(0, 12) + "..."};
}

Tensor copy_of(const Tensor& x) {
    Tensor copy = Tensor::for_overwrite(x.shape());
    std::copy_n(x.data(), x.size(), copy.mutable_data());
    return copy;
}

void compare(const SafetensorsFile& file, const std::vector<NamedTensor>& tensors) {
    require_sum(file.path(), file.metadata(), header_key, "the header",
                header_sum(file.metadata(), tensors));
    const std::vector<std::string> sums = sums_of(tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string& name = tensors[i].name;
        require_sum(file.path(), file.metadata(), tensor_key + name, name, sums[i]);
    }
    file.require_intact();
}

}  // namespace

void add_sums(std::map<std::string, std::string>& metadata,
              const std::vector<NamedTensor>& tensors) {
    const std::vector<std::string> sums = sums_of(tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i)
        metadata[tensor_key + tensors[i].name] = sums[i];
    metadata[header_key] = header_sum(metadata, tensors);
}

std::vector<NamedTensor> read_with_sums(const SafetensorsFile& file) {
    std::vector<NamedTensor> tensors;
    for (const SafetensorsEntry& entry : file.entries())
        tensors.push_back({entry.name, copy_of(file.tensor(entry))});
    compare(file, tensors);
    return tensors;
}

void verify_sums(const SafetensorsFile& file) {
    std::vector<NamedTensor> tensors;
    for (const SafetensorsEntry& entry : file.entries())
        tensors.push_back({entry.name, file.tensor(entry)});
    compare(file, tensors);
}

}  // namespace bert
