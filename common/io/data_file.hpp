// The files that come with the project: small models, curves.
#pragma once

#include <string>

namespace bert {

/// The path of data/NAME: beside the installed program (PREFIX/bin, PREFIX/share), in the source
/// tree that the program was built from, or where it was to be installed; the first of these
/// folders that is there.
std::string data_file(const std::string& name);

}  // namespace bert
