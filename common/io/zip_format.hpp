// Numbers of the zip format (APPNOTE.TXT of PKWARE), for the reader and the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bert {

constexpr std::uint32_t zip_local_signature = 0x04034B50;
constexpr std::uint32_t zip_central_signature = 0x02014B50;
constexpr std::uint32_t zip_end_signature = 0x06054B50;
constexpr std::uint32_t zip64_end_signature = 0x06064B50;
constexpr std::uint32_t zip64_locator_signature = 0x07064B50;

constexpr std::size_t zip_local_bytes = 30;
constexpr std::size_t zip_central_bytes = 46;
constexpr std::size_t zip_end_bytes = 22;
constexpr std::size_t zip64_end_bytes = 56;
constexpr std::size_t zip64_locator_bytes = 20;

// A field that holds its largest value refers to the zip64 part.
constexpr std::uint32_t zip_full_32 = 0xFFFFFFFF;
constexpr std::uint16_t zip_full_16 = 0xFFFF;
constexpr std::uint16_t zip64_extra = 0x0001;

constexpr std::uint16_t zip_flag_sizes_follow = 0x0008;
constexpr std::uint16_t zip_flag_utf8 = 0x0800;

// Limits of the project: names with their ending, arrays of one file.
constexpr std::string_view npy_ending = ".npy";
constexpr std::size_t zip_max_name = 1000 + npy_ending.size();
constexpr std::size_t npz_max_entries = 10000;

}  // namespace bert
