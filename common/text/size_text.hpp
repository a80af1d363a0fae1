// An amount of memory for people.
#pragma once

#include <string>

namespace bert {

/// "95.42 MB", "3.5 GB": at most four digits before they are whole numbers; a GB is 10^9 bytes.
std::string size_text(double bytes);

}  // namespace bert
