// The random decisions of dropout, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/random/random.hpp"

namespace bert {

/// One byte an element: 1 to keep, 0 to drop.
struct DropoutMask {
    std::shared_ptr<std::uint8_t[]> kept;
    std::size_t size;
};

/// kept[i] = 1 where word i of the generator, counted from the next multiple of 4 on, is at least
/// probability * 2^32; leaves the generator after the last word. The number of threads changes
/// nothing.
DropoutMask draw_dropout_mask(Random& random, double probability, std::size_t size);

}  // namespace bert
