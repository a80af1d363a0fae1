// The Python dictionary in the header of a .npy file.
#pragma once

#include <string>
#include <string_view>

#include "common/io/npy_format.hpp"

namespace bert {

/// Reads "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" and nothing else that Python
/// would take for a dictionary; header.bytes stays 0. Throws FileError naming path and `where`.
NpyHeader parse_npy_dictionary(const std::string& path, const std::string& where,
                               std::string_view text);

}  // namespace bert
