#include "ch07_encoder/dropout_mask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/random/philox.hpp"

namespace bert {

namespace {

constexpr std::size_t words_per_block = 4;

std::uint32_t low_word(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}
std::uint32_t high_word(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
}

std::array<std::uint32_t, words_per_block> block_of(const Random& random, std::uint64_t block) {
    return philox(
        {low_word(block), high_word(block), low_word(random.stream()), high_word(random.stream())},
        {low_word(random.seed()), high_word(random.seed())});
}

// Words below this are dropped.
std::uint32_t drop_limit(double probability) {
    constexpr double largest = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(std::round(probability * 0x1p32), largest));
}

}  // namespace

DropoutMask draw_dropout_mask(Random& random, double probability, std::size_t size) {
    // Rounded up to whole blocks, so that every block may write all its bytes.
    const std::size_t blocks = (size + words_per_block - 1) / words_per_block;
    const DropoutMask mask{std::make_shared_for_overwrite<std::uint8_t[]>(blocks * words_per_block),
                           size};
    const std::uint32_t limit = drop_limit(probability);
    const std::uint64_t first_block = (random.position() + words_per_block - 1) / words_per_block;
    std::uint8_t* const kept = mask.kept.get();
#pragma omp parallel for schedule(static) if (size > 65536)
    for (std::size_t block = 0; block < blocks; ++block) {
        const auto words = block_of(random, first_block + block);
        for (std::size_t i = 0; i < words_per_block; ++i)
            kept[block * words_per_block + i] = words[i] >= limit ? 1 : 0;
    }
    random.set_position(first_block * words_per_block + size);
    return mask;
}

}  // namespace bert
