// Catch2 2.13 (Debian 12) and 3 (Debian 13, Ubuntu 24.04) under one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>

namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& part) {
    return Contains(part);
}
}  // namespace Catch::Matchers
#endif

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;
