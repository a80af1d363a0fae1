// Catch2 2.13 (Debian 12) and 3 (Debian 13, Ubuntu 24.04) under one include.
#pragma once

#include "common/tensor/print.hpp"

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

// What a failed comparison of tensors shows.
template <>
struct Catch::StringMaker<bert::Tensor> {
    static std::string convert(const bert::Tensor& x) {
        return bert::to_string(x.shape()) + "\n" + bert::to_table(x, {.decimals = 6});
    }
};

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;
