// What work that can be interrupted was started with: it goes on with the same or not at all.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bert {

/// Values by name.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Throws FileError naming every setting that differs, with what was found in the file at `path`
/// and what is expected.
void require_settings(const std::string& path, const Settings& found, const Settings& expected);

}  // namespace bert
