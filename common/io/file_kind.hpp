// What a file is that is not what it was taken for.
#pragma once

#include <string>
#include <string_view>

namespace bert {

/// "a Git LFS pointer (...)", "an HTML page", "a zip archive ...", by how the file begins; empty
/// when that is none of the kinds that turn up in place of a checkpoint.
std::string file_kind(std::string_view file);

}  // namespace bert
