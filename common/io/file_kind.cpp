#include "common/io/file_kind.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace bert {

namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string file_kind(std::string_view file) {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, const char*>, 12> beginnings{{
        {"version https://git-lfs"sv, "a Git LFS pointer: 'git lfs pull' fetches the file"},
        {"<!doctype"sv, "an HTML page"},
        {"<html"sv, "an HTML page"},
        {"<?xml"sv, "an XML page"},
        {"pk\x03\x04"sv, "a zip archive, such as PyTorch's .bin files"},
        {"\x80\x02"sv, "a Python pickle, such as PyTorch's old .bin files"},
        {"\x80\x03"sv, "a Python pickle"},
        {"\x80\x04"sv, "a Python pickle"},
        {"\x89hdf"sv, "an HDF5 file"},
        {"\x1f\x8b"sv, "a gzip archive"},
        {"gguf"sv, "a GGUF file"},
        {"{"sv, "JSON text"},
    }};
    std::string start{file.substr(0, 32)};
    std::transform(start.begin(), start.end(), start.begin(), lower);
    for (const auto& [beginning, kind] : beginnings) {
        if (start.starts_with(beginning)) return kind;
    }
    return {};
}

}  // namespace bert
