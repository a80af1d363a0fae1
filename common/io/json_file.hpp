// JSON, as far as the project's small input files need it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/tensor/tensor.hpp"

namespace bert {

/// The tensors of a JSON file: one object of names to numbers or nested lists of numbers, of rank 0
/// to 4, such as {"scale": 2, "q": [[1, 0], [0, 1]]}.
///
/// Throws IoError when the file does not open. Throws FileError above 16 MiB, with line and column
/// for text that is not JSON, and with the place in the lists, as in q[1][0], for a name twice, an
/// empty list, lists of different length, a value that is no number or that Real cannot hold.
std::map<std::string, Tensor> read_json_tensors(const std::string& path);

/// The text as a JSON string, in quotes: quotes, backslashes and control characters escaped, bytes
/// that are not UTF-8 replaced by U+FFFD.
std::string json_string(std::string_view text);

}  // namespace bert
