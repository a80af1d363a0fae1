// Checksums of a .safetensors file, which the format itself does not have: in its metadata.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/safetensors.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct NamedTensor {
    std::string name;
    Tensor tensor;
};

/// Adds to the metadata the sums of these tensors, "sha256/" and the name, and "sha256" of names,
/// shapes and all other metadata.
void add_sums(std::map<std::string, std::string>& metadata,
              const std::vector<NamedTensor>& tensors);

/// The tensors of a file, copied into memory, after a comparison with the sums in its metadata.
/// Throws FileError "checksum mismatch in NAME".
std::vector<NamedTensor> read_with_sums(const SafetensorsFile& file);

/// The same comparison, without a copy.
void verify_sums(const SafetensorsFile& file);

}  // namespace bert
