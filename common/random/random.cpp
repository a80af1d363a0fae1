#include "common/random/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "common/random/philox.hpp"

namespace bert {

namespace {

constexpr std::uint64_t words_per_block = 4;
constexpr std::uint64_t words_per_uniform = 2;
constexpr std::uint64_t words_per_normal = 4;

std::uint32_t low_word(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}
std::uint32_t high_word(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
}

void require_range(double low, double high) {
    if (low <= high && std::isfinite(high - low)) return;
    throw std::invalid_argument{"uniform: no range from " + std::to_string(low) + " to " +
                                std::to_string(high)};
}

// Element i is draw(a generator moved to element i): any thread may make any element.
template <typename Draw>
Tensor fill(Random& random, const Shape& shape, std::uint64_t words_per_element, Draw draw) {
    Tensor x(shape);
    Real* const values = x.mutable_data();
    const std::uint64_t start = random.position();
    constexpr std::size_t chunk = 4096;
    const std::size_t chunks = x.size() / chunk + (x.size() % chunk == 0 ? 0 : 1);
#pragma omp parallel for schedule(static) if (chunks > 1)
    for (std::size_t c = 0; c < chunks; ++c) {
        Random local = random;
        local.set_position(start + c * chunk * words_per_element);
        const std::size_t end = std::min(x.size(), (c + 1) * chunk);
        for (std::size_t i = c * chunk; i < end; ++i)
            values[i] = draw(local);
    }
    random.set_position(start + x.size() * words_per_element);
    return x;
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

void Random::fill_block() {
    const std::uint64_t block = position_ / words_per_block;
    block_ = philox({low_word(block), high_word(block), low_word(stream_), high_word(stream_)},
                    {low_word(seed_), high_word(seed_)});
}

void Random::set_position(std::uint64_t position) {
    position_ = position;
    if (position_ % words_per_block != 0) fill_block();
}

std::uint32_t Random::uint32() {
    if (position_ % words_per_block == 0) fill_block();
    return block_[static_cast<std::size_t>(position_++ % words_per_block)];
}

std::uint64_t Random::uint64() {
    const std::uint64_t low = uint32();
    return low | std::uint64_t{uint32()} << 32;
}

double Random::uniform() {
    return static_cast<double>(uint64() >> 11) * 0x1p-53;
}

double Random::uniform(double low, double high) {
    require_range(low, high);
    const double x = low + (high - low) * uniform();
    // The sum may round up to `high`.
    return std::min(x, std::nextafter(high, low));
}

// Box and Muller: sqrt(-2 ln u) cos(2 pi v). The second number of the pair, with the sine, is not
// used: keeping it for the next call would be a state beside the position.
double Random::normal() {
    const double u = 1.0 - uniform();  // (0, 1]: its logarithm is finite
    const double v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

std::uint64_t Random::below(std::uint64_t n) {
    if (n == 0) throw std::invalid_argument{"below: no number is below 0"};
    // 2^64 mod n: the draws from here on fill every remainder equally often.
    const std::uint64_t first_fair = (0 - n) % n;
    std::uint64_t x = uint64();
    while (x < first_fair)
        x = uint64();
    return x % n;
}

Tensor uniform(Random& random, const Shape& shape, double low, double high) {
    require_range(low, high);
    if (!std::isfinite(static_cast<Real>(low)) || !std::isfinite(static_cast<Real>(high))) {
        throw std::invalid_argument{"uniform: the range is beyond what a tensor can hold"};
    }
    // A double below `high` may round to it as a float.
    const Real last = std::nextafter(static_cast<Real>(high), static_cast<Real>(low));
    return fill(random, shape, words_per_uniform, [=](Random& local) {
        return std::min(static_cast<Real>(local.uniform(low, high)), last);
    });
}

Tensor normal(Random& random, const Shape& shape, double mean, double stddev) {
    if (!std::isfinite(mean) || !std::isfinite(stddev) || stddev < 0.0) {
        throw std::invalid_argument{"normal: no distribution with mean " + std::to_string(mean) +
                                    " and standard deviation " + std::to_string(stddev)};
    }
    constexpr double farthest = 8.6;  // of normal(), in standard deviations
    if (!std::isfinite(static_cast<Real>(std::abs(mean) + farthest * stddev))) {
        throw std::invalid_argument{"normal: the numbers are beyond what a tensor can hold"};
    }
    return fill(random, shape, words_per_normal,
                [=](Random& local) { return static_cast<Real>(mean + stddev * local.normal()); });
}

}  // namespace bert
