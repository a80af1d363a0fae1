#include "common/random/random.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/random/philox.hpp"
#include "tests/support/catch.hpp"

using bert::philox;
using bert::Random;
using bert::Real;
using bert::Tensor;
using Words = std::array<std::uint32_t, 4>;

// The vectors published with the authors' library Random123, file kat_vectors, philox4x32 10.
TEST_CASE("philox: the three published vectors", "[common]") {
    const std::uint32_t ones = 0xFFFFFFFF;
    CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
    CHECK(philox({ones, ones, ones, ones}, {ones, ones}) ==
          Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
    CHECK(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}) ==
          Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("Random: words are those of philox in order", "[common]") {
    Random random{0xAAAAAAAABBBBBBBB, 0xCCCCCCCCDDDDDDDD};
    for (std::uint32_t block = 0; block < 3; ++block) {
        for (const std::uint32_t word :
             philox({block, 0, 0xDDDDDDDD, 0xCCCCCCCC}, {0xBBBBBBBB, 0xAAAAAAAA})) {
            CHECK(random.uint32() == word);
        }
    }
    CHECK(random.position() == 12);
    random.set_position(std::uint64_t{4} << 32);
    CHECK(random.uint32() == philox({0, 1, 0xDDDDDDDD, 0xCCCCCCCC}, {0xBBBBBBBB, 0xAAAAAAAA})[0]);
}

// Pinned, so that a seed of yesterday gives the same training run tomorrow; the values were
// computed with thirty lines of Python.
TEST_CASE("Random: first values of seed 1 stay as they are", "[common]") {
    CHECK(Random{1}.uint64() == 16504019988892878448U);
    CHECK(Random{1}.uniform() == 0.8946847163350924);
    Random random{1};
    constexpr double tolerance = 1e-15;  // largest error seen: 0; libraries differ in the last bit
    CHECK_THAT(random.normal(), WithinAbs(-0.5112540909508035, tolerance));
    CHECK_THAT(random.normal(), WithinAbs(-1.1326241915725068, tolerance));
    Random dice{1};
    std::vector<std::uint64_t> thrown(10);
    std::generate(thrown.begin(), thrown.end(), [&] { return dice.below(6); });
    CHECK(thrown == std::vector<std::uint64_t>{4, 0, 3, 1, 0, 0, 3, 3, 2, 3});
    std::vector<int> order(10);
    std::iota(order.begin(), order.end(), 0);
    Random{1}.shuffle(std::span{order});
    CHECK(order == std::vector<int>{7, 2, 5, 4, 1, 6, 9, 3, 0, 8});
}

TEST_CASE("Random: going to a position equals drawing that many", "[common]") {
    Random drawn{7, 3};
    for (std::uint64_t position = 0; position < 23; ++position) {
        Random moved{7, 3};
        moved.set_position(position);
        CHECK(moved.position() == drawn.position());
        const Random copy = drawn;
        CHECK(Random{copy}.uint64() == moved.uint64());
        CHECK(Random{copy}.normal() == (moved.set_position(position), moved.normal()));
        drawn.uint32();
    }
}

TEST_CASE("Random: seeds and streams differ", "[common]") {
    std::set<std::uint64_t> seen;
    for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32, 1ULL << 63}) {
        for (const std::uint64_t stream : {0ULL, 1ULL, 1ULL << 32, 1ULL << 63}) {
            Random random{seed, stream};
            CHECK(random.seed() == seed);
            CHECK(random.stream() == stream);
            seen.insert(random.uint64());
        }
    }
    CHECK(seen.size() == 16);
}

// Of n independent uniform numbers the mean has the standard deviation 1 / sqrt(12 n), the mean
// square 1/3 with sqrt(4 / 45 n). A right generator fails a bound of 4 deviations for 6 seeds of
// 100000; the seed is fixed.
TEST_CASE("Random: uniform numbers have the moments of the unit interval", "[common]") {
    constexpr int n = 1000000;
    Random random{2024};
    double sum = 0.0;
    double squares = 0.0;
    double smallest = 1.0;
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        const double x = random.uniform();
        sum += x;
        squares += x * x;
        smallest = std::min(smallest, x);
        largest = std::max(largest, x);
    }
    CHECK_THAT(sum / n, WithinAbs(1.0 / 2, 4.0 / std::sqrt(12.0 * n)));
    CHECK_THAT(squares / n, WithinAbs(1.0 / 3, 4.0 * std::sqrt(4.0 / 45 / n)));
    CHECK(smallest >= 0.0);
    CHECK(smallest < 20.0 / n);
    CHECK(largest < 1.0);
    CHECK(largest > 1.0 - 20.0 / n);
}

// Chi-square over 1000 equal cells: 999 degrees of freedom, mean 999, deviation sqrt(2 * 999) = 45.
TEST_CASE("Random: uniform numbers fill their range evenly", "[common]") {
    constexpr int n = 1000000;
    constexpr int cells = 1000;
    std::vector<int> count(cells);
    Random random{5};
    for (int i = 0; i < n; ++i) {
        ++count[static_cast<std::size_t>(random.uniform(-2.0, 3.0) * 200.0 + 400.0)];
    }
    double chi_square = 0.0;
    for (const int c : count)
        chi_square += std::pow(c - n / cells, 2) / (n / cells);
    CHECK_THAT(chi_square, WithinAbs(999.0, 4.0 * 45.0));
}

// Moments of the normal distribution: 0, 1, 0, 3, with the deviations sqrt(1, 2, 15, 96) / sqrt(n);
// 68.27 % of it lies within one standard deviation.
TEST_CASE("Random: normal numbers have the moments of the normal distribution", "[common]") {
    constexpr int n = 1000000;
    Random random{11};
    double moments[4] = {};
    int within_one = 0;
    for (int i = 0; i < n; ++i) {
        const double x = random.normal();
        for (int power = 0; power < 4; ++power)
            moments[power] += std::pow(x, power + 1) / n;
        if (std::abs(x) < 1.0) ++within_one;
    }
    const double four_deviations = 4.0 / std::sqrt(n);
    CHECK_THAT(moments[0], WithinAbs(0.0, four_deviations));
    CHECK_THAT(moments[1], WithinAbs(1.0, four_deviations * std::sqrt(2.0)));
    CHECK_THAT(moments[2], WithinAbs(0.0, four_deviations * std::sqrt(15.0)));
    CHECK_THAT(moments[3], WithinAbs(3.0, four_deviations * std::sqrt(96.0)));
    CHECK_THAT(within_one / static_cast<double>(n),
               WithinAbs(0.6826894921, four_deviations * 0.4655));
}

TEST_CASE("Random: neighbours are not correlated", "[common]") {
    constexpr int n = 1000000;
    Random random{12};
    double product = 0.0;
    double before = random.normal();
    for (int i = 0; i < n; ++i) {
        const double x = random.normal();
        product += x * before / n;
        before = x;
    }
    CHECK_THAT(product, WithinAbs(0.0, 4.0 / std::sqrt(n)));
}

TEST_CASE("below: every number equally often", "[common]") {
    constexpr int n = 700000;
    std::vector<int> count(7);
    Random random{3};
    for (int i = 0; i < n; ++i)
        ++count.at(random.below(7));
    // Binomial: deviation sqrt(n * 1/7 * 6/7) = 293.
    for (const int c : count)
        CHECK(std::abs(c - n / 7) < 4 * 293);
    CHECK(random.below(1) == 0);
}

// Without rejection the remainders of 2^64 by 3 * 2^62 fall below 2^62 in one draw of two; with it
// in one of three.
TEST_CASE("below: a bound near the top of the range is not biased", "[common]") {
    constexpr int n = 90000;
    const std::uint64_t third = std::uint64_t{1} << 62;
    Random random{4};
    int low = 0;
    for (int i = 0; i < n; ++i) {
        const std::uint64_t x = random.below(3 * third);
        REQUIRE(x < 3 * third);
        if (x < third) ++low;
    }
    CHECK(std::abs(low - n / 3) < 4 * 142);  // deviation sqrt(n * 1/3 * 2/3) = 141.4
}

TEST_CASE("below: zero is refused", "[common]") {
    Random random{1};
    CHECK_THROWS_AS(random.below(0), std::invalid_argument);
}

TEST_CASE("shuffle: keeps all values", "[common]") {
    Random random{9};
    for (std::size_t size : {0U, 1U, 2U, 100U}) {
        std::vector<int> values(size);
        std::iota(values.begin(), values.end(), 0);
        std::vector<int> shuffled = values;
        random.shuffle(std::span{shuffled});
        CHECK(std::is_permutation(values.begin(), values.end(), shuffled.begin()));
        if (size == 100) CHECK(shuffled != values);
    }
}

TEST_CASE("shuffle: the six orders of three come equally often", "[common]") {
    constexpr int n = 60000;
    std::map<std::string, int> count;
    Random random{10};
    for (int i = 0; i < n; ++i) {
        std::string letters = "abc";
        random.shuffle(std::span{letters.data(), letters.size()});
        ++count[letters];
    }
    CHECK(count.size() == 6);
    for (const auto& [order, c] : count) {
        INFO(order);
        CHECK(std::abs(c - n / 6) < 4 * 92);  // deviation sqrt(n * 1/6 * 5/6) = 91.3
    }
}

TEST_CASE("Random: a tensor holds the numbers of single draws", "[common]") {
    for (const std::uint64_t start : {0U, 3U}) {
        Random one_by_one{21};
        one_by_one.set_position(start);
        Random at_once = one_by_one;
        const Tensor u = uniform(at_once, {5, 7}, -1.0, 2.0);
        for (const Real x : u.values()) {
            CHECK(x == static_cast<Real>(one_by_one.uniform(-1.0, 2.0)));
        }
        const Tensor g = normal(at_once, {3, 11}, 5.0, 0.5);
        for (const Real x : g.values()) {
            CHECK(x == static_cast<Real>(5.0 + 0.5 * one_by_one.normal()));
        }
        CHECK(at_once.position() == one_by_one.position());
        CHECK(at_once.uint32() == one_by_one.uint32());
    }
}

TEST_CASE("Random: a large tensor holds the numbers of single draws", "[common]") {
    Random one_by_one{22};
    Random at_once{22};
    const Tensor made = normal(at_once, {3, 5003}, 0.0, 1.0);
    std::vector<Real> drawn(3 * 5003);
    for (Real& x : drawn)
        x = static_cast<Real>(one_by_one.normal());
    CHECK(made == Tensor({3, 5003}, drawn));
    CHECK(uniform(at_once, {9001}, 0.0, 1.0)(9000) ==
          (one_by_one.set_position(one_by_one.position() + 18000),
           static_cast<Real>(one_by_one.uniform())));
}

TEST_CASE("Random: a tensor is the same for every number of threads", "[common]") {
    const int threads = omp_get_max_threads();
    std::vector<Tensor> made;
    for (const int count : {1, 2, 3, 8}) {
        omp_set_num_threads(count);
        Random random{33};
        random.uint32();
        made.push_back(normal(random, {3, 9001}, 0.0, 1.0));
        made.push_back(uniform(random, {3, 9001}, 0.0, 1.0));
    }
    omp_set_num_threads(threads);
    for (std::size_t i = 2; i < made.size(); ++i)
        CHECK(made[i] == made[i % 2]);
}

TEST_CASE("Random: a tensor without elements takes nothing", "[common]") {
    Random random{1};
    CHECK(normal(random, {0, 3}, 0.0, 1.0).size() == 0);
    CHECK(random.position() == 0);
}

TEST_CASE("Random: uniform numbers stay below the upper end", "[common]") {
    Random random{1};
    const double one_up = std::nextafter(1.0, 2.0);
    for (int i = 0; i < 100; ++i)
        CHECK(random.uniform(1.0, one_up) == 1.0);
    CHECK(random.uniform(2.5, 2.5) == 2.5);
    const Real real_up = std::nextafter(Real{1}, Real{2});
    const Tensor ones = uniform(random, {100}, 1.0, real_up);
    for (const Real x : ones.values())
        CHECK(x == Real{1});
}

TEST_CASE("Random: ranges and distributions that do not exist are refused", "[common]") {
    Random random{1};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double huge = std::numeric_limits<double>::max();
    const double nan = std::nan("");
    CHECK_THROWS_AS(random.uniform(1.0, 0.0), std::invalid_argument);
    CHECK_THROWS_AS(random.uniform(nan, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(random.uniform(-huge, huge), std::invalid_argument);
    CHECK_THROWS_AS(uniform(random, {2}, 0.0, infinity), std::invalid_argument);
    CHECK_THROWS_AS(normal(random, {2}, 0.0, -1.0), std::invalid_argument);
    CHECK_THROWS_AS(normal(random, {2}, nan, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(normal(random, {2}, 0.0, infinity), std::invalid_argument);
    const double largest = static_cast<double>(std::numeric_limits<bert::Real>::max());
    CHECK_THROWS_AS(normal(random, {2}, 0.0, largest / 8), std::invalid_argument);
    CHECK_NOTHROW(normal(random, {2}, 0.0, largest / 9));
    if (sizeof(bert::Real) == sizeof(float)) {
        CHECK_THROWS_AS(uniform(random, {2}, -1e300, 1e300), std::invalid_argument);
    }
}
