// Small .safetensors files, good and bad, made by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/little_endian.hpp"

namespace bert::test {

/// The header's length, the header, the tensors' bytes.
inline std::string safetensors_of(const std::string& header, const std::string& data = "") {
    std::string bytes;
    append_little_endian(bytes, static_cast<std::uint64_t>(header.size()));
    return bytes + header + data;
}

/// "name": a tensor of this type, shape and place, with more fields behind.
inline std::string tensor_entry(const std::string& name, const std::string& offsets = "[0,16]",
                                const std::string& type = "F32", const std::string& shape = "[2,2]",
                                const std::string& more = "") {
    return "\"" + name + R"(":{"dtype":")" + type + R"(","shape":)" + shape +
           R"(,"data_offsets":)" + offsets + more + "}";
}

struct SafetensorsCase {
    std::string name;
    std::string bytes;
    std::string fault;  // part of the message; empty: a good file
};

/// One for each rule and attack.
std::vector<SafetensorsCase> safetensors_cases();

}  // namespace bert::test
