// The fixed parts of a file of pre-training examples (pretraining_data.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bert::data_file {

constexpr std::string_view magic = "BERTDATA";
constexpr std::uint32_t version = 1;

constexpr std::size_t head_bytes = magic.size() + sizeof version;
constexpr std::size_t sum_bytes = 32;
constexpr std::size_t end_bytes = 2 * sizeof(std::uint64_t) + sum_bytes;
constexpr std::size_t number_bytes = sizeof(std::uint32_t);  // of an example
constexpr std::size_t example_head_numbers = 4;

}  // namespace bert::data_file
