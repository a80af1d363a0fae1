// What a command prints: results on standard output, files that --out names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// Writes to standard output. Throws IoError as soon as the system refuses.
void write_result(std::string_view text);

/// Appends a character and the shortest decimal that reads back as the same number.
void append_number(std::string& text, Real x, char before);

/// Appends [1,2.5,3].
void append_list(std::string& text, std::span<const Real> numbers);

/// Throws UsageError when `path` is -, which elsewhere means a standard stream.
void require_output_name(const std::string& option, const std::string& path);

/// Throws UsageError, before any work, when `path` cannot be written to as a file: it is -, it is a
/// folder, its folder is missing, or it is one of the `inputs`; - among them is standard input.
void require_output_path(const std::string& option, const std::string& path,
                         const std::vector<std::string>& inputs);

/// The same of a folder that is there or is to be made: its parent is missing, or it is a file.
void require_output_folder(const std::string& option, const std::string& path);

/// Throws std::length_error naming both when `bytes` are more than this process may take.
void require_room(const std::string& what, double bytes);

}  // namespace bert
