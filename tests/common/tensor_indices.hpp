// Every index of a shape, and tensors with known elements, for checks against formulas.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert::test {

using Index = std::vector<std::size_t>;

/// Calls `visit` with every index of the shape, the last axis running fastest.
inline void for_each_index(const Shape& shape, const std::function<void(const Index&)>& visit) {
    for (const std::size_t size : shape) {
        if (size == 0) return;
    }
    Index index(shape.size(), 0);
    for (;;) {
        visit(index);
        std::size_t axis = shape.size();
        while (axis > 0 && ++index[axis - 1] == shape[axis - 1])
            index[--axis] = 0;
        if (axis == 0) return;
    }
}

/// The element at an index: sum over axes of index * product of the later sizes.
inline double at(const Tensor& x, const Index& index) {
    std::size_t offset = 0;
    std::size_t stride = 1;
    for (std::size_t axis = x.rank(); axis-- > 0;) {
        offset += index[axis] * stride;
        stride *= x.shape()[axis];
    }
    return static_cast<double>(x.values()[offset]);
}

/// 1, 2, 3, ... : no two elements are equal.
inline Tensor counted(const Shape& shape) {
    Tensor x(shape);
    for (std::size_t i = 0; i < x.size(); ++i)
        x.mutable_data()[i] = static_cast<Real>(i + 1);
    return x;
}

/// Numbers in [-1, 1), spread evenly, that look random.
inline Tensor noise(const Shape& shape, std::uint64_t seed) {
    Tensor x(shape);
    Real* const out = x.mutable_data();
    std::uint64_t state = seed * 2654435761U + 88172645463325252U;
    for (std::size_t i = 0; i < x.size(); ++i) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        out[i] = static_cast<Real>(state >> 40U) / Real{8388608} - Real{1};
    }
    return x;
}

}  // namespace bert::test
