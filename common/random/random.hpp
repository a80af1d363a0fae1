// Random numbers that are the same on every platform and for every number of threads.
//
// A generator is a seed, a stream and a position in it. The words of a stream are
// philox(position / 4, stream; seed)[position % 4], so that any of them is had without the ones
// before it, and the position is all that a checkpoint has to keep.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "common/tensor/tensor.hpp"

namespace bert {

class Random {
  public:
    /// Streams of one seed share no words; so do equal streams of two seeds.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

    /// The next word, and the next two as one number (the first is the low half).
    std::uint32_t uint32();
    std::uint64_t uint64();

    /// In [0, 1), a multiple of 2^-53. Takes two words.
    double uniform();
    /// In [low, high); low when both are equal. Takes two words.
    /// Throws std::invalid_argument unless low <= high and high - low is finite.
    double uniform(double low, double high);
    /// Mean 0, standard deviation 1, at most 8.6 from the mean. Takes four words.
    double normal();
    /// In [0, n), each equally often. Takes two words, more with a chance below n / 2^64.
    /// Throws std::invalid_argument for n = 0.
    std::uint64_t below(std::uint64_t n);
    /// Puts the values in one of their orders, each equally likely.
    template <typename T>
    void shuffle(std::span<T> values);

    std::uint64_t seed() const { return seed_; }
    std::uint64_t stream() const { return stream_; }
    /// The number of words taken so far; setting it goes to any place of the stream.
    std::uint64_t position() const { return position_; }
    void set_position(std::uint64_t position);

  private:
    void fill_block();

    std::uint64_t seed_;
    std::uint64_t stream_;
    std::uint64_t position_ = 0;
    std::array<std::uint32_t, 4> block_{};  // the words around position_, unless it is its first
};

/// A tensor with the numbers that as many calls of random.uniform(low, high) give, and random as
/// those calls leave it. The number of threads changes nothing. Throws as uniform does, and
/// std::invalid_argument for numbers beyond Real.
Tensor uniform(Random& random, const Shape& shape, double low, double high);

/// The same for mean + stddev * random.normal().
/// Throws std::invalid_argument unless both are finite, stddev is not negative, and Real can hold
/// the numbers.
Tensor normal(Random& random, const Shape& shape, double mean, double stddev);

template <typename T>
void Random::shuffle(std::span<T> values) {
    for (std::size_t end = values.size(); end > 1; --end) {
        using std::swap;
        swap(values[end - 1], values[static_cast<std::size_t>(below(end))]);
    }
}

}  // namespace bert
