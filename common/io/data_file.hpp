// The files that come with the project: small models, curves.
#pragma once

#include <string>

namespace bert {

/// The path of data/NAME in the source tree that the program was built from.
std::string data_file(const std::string& name);

}  // namespace bert
