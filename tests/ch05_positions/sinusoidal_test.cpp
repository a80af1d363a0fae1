#include "ch05_positions/sinusoidal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Encoding = std::vector<double>;

double largest_difference(const Encoding& a, const Encoding& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t d = 0; d < a.size(); ++d) {
        if (std::isnan(a[d] - b[d])) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, std::abs(a[d] - b[d]));
    }
    return largest;
}

// Widths with one pair, with few, and of the published models.
const std::vector<std::size_t> widths{2, 4, 6, 8, 64, 130, 512, 768, 1024};

}  // namespace

TEST_CASE("N17: PE of position 1 with width 4", "[ch05]") {
    const Encoding encoding = sinusoidal_position(1, 4);
    // Divisors 10000^0 = 1 and 10000^(1/2) = 100.
    CHECK(largest_difference(
              encoding, {std::sin(1.0), std::cos(1.0), std::sin(0.01), std::cos(0.01)}) <= 1e-15);
    // The printed decimals: half a unit of the eighth.
    CHECK(largest_difference(encoding, {0.84147098, 0.54030231, 0.00999983, 0.99995000}) <= 5.1e-9);
}

TEST_CASE("N17: PE of positions 1 and 100 with width 512", "[ch05]") {
    const Encoding first = sinusoidal_position(1, 512);
    REQUIRE(first.size() == 512);
    CHECK_THAT(first[0], WithinAbs(0.84147098, 5.1e-9));
    CHECK_THAT(first[1], WithinAbs(0.54030231, 5.1e-9));
    CHECK_THAT(first[2], WithinAbs(0.82185619, 5.1e-9));
    CHECK_THAT(first[3], WithinAbs(0.56969501, 5.1e-9));
    CHECK_THAT(first[510], WithinAbs(1.0366329e-04, 5.1e-12));
    CHECK_THAT(first[511], WithinAbs(0.99999999, 5.1e-9));
    const Encoding hundredth = sinusoidal_position(100, 512);
    CHECK_THAT(hundredth[0], WithinAbs(-0.50636564, 5.1e-9));
    CHECK_THAT(hundredth[1], WithinAbs(0.86231887, 5.1e-9));
    // Largest error seen: 1.2e-16. The divisors as roots: 10000^(2/512), 10000^(510/512).
    const double slow = std::pow(10.0, -4.0 * 510 / 512);
    CHECK_THAT(first[2], WithinAbs(std::sin(std::pow(10.0, -1.0 / 64)), 1e-15));
    CHECK_THAT(first[510], WithinAbs(std::sin(slow), 1e-15));
    CHECK_THAT(first[511], WithinAbs(std::cos(slow), 1e-15));
}

TEST_CASE("N17: sine and cosine go by the dimension and not by the position", "[ch05]") {
    // "Even positions use the sine" is a slip: every position has both.
    for (const double position : {1.0, 2.0, 3.0, 4.0}) {
        const Encoding encoding = sinusoidal_position(position, 6);
        for (std::size_t i = 0; i < 3; ++i) {
            const double angle = position / std::cbrt(std::pow(10000.0, static_cast<double>(i)));
            CHECK_THAT(encoding[2 * i], WithinAbs(std::sin(angle), 1e-14));
            CHECK_THAT(encoding[2 * i + 1], WithinAbs(std::cos(angle), 1e-14));
        }
    }
}

TEST_CASE("sinusoidal_position: position 0 is zero and one in turn", "[ch05]") {
    CHECK(sinusoidal_position(0, 6) == Encoding{0, 1, 0, 1, 0, 1});
    const Tensor table = sinusoidal_positions(2, 2);
    CHECK(table(0, 0) == 0);
    CHECK(table(0, 1) == 1);
    CHECK(table(1, 0) == static_cast<Real>(std::sin(1.0)));
}

TEST_CASE("sinusoidal_position: every pair has length 1", "[ch05]") {
    for (const std::size_t width : widths) {
        for (const double position : {-7.5, 0.0, 1.0, 511.0, 5000.0}) {
            const Encoding encoding = sinusoidal_position(position, width);
            for (std::size_t d = 0; d < width; d += 2) {
                // Largest error seen: 1.1e-16.
                REQUIRE_THAT(std::hypot(encoding[d], encoding[d + 1]), WithinAbs(1.0, 1e-15));
            }
        }
    }
}

TEST_CASE("sinusoidal_position: the negative position mirrors the sines", "[ch05]") {
    const Encoding forward = sinusoidal_position(3.25, 8);
    const Encoding backward = sinusoidal_position(-3.25, 8);
    for (std::size_t d = 0; d < 8; ++d)
        CHECK(backward[d] == (d % 2 == 0 ? -forward[d] : forward[d]));
}

TEST_CASE("sinusoidal_positions: the table is the positions row by row", "[ch05]") {
    const Tensor table = sinusoidal_positions(7, 10);
    REQUIRE(table.shape() == Shape{7, 10});
    for (std::size_t n = 0; n < 7; ++n) {
        const Encoding encoding = sinusoidal_position(static_cast<double>(n), 10);
        for (std::size_t d = 0; d < 10; ++d)
            CHECK(table(n, d) == static_cast<Real>(encoding[d]));
    }
}

TEST_CASE("sinusoidal_positions: a longer table starts with the shorter one", "[ch05]") {
    const Tensor longer = sinusoidal_positions(20, 6);
    const Tensor shorter = sinusoidal_positions(4, 6);
    CHECK(std::equal(shorter.data(), shorter.data() + shorter.size(), longer.data()));
}

TEST_CASE("sinusoidal_positions: equals the exp-log form in PyTorch", "[ch05]") {
    const auto expected = golden("ch05_sinusoidal");
    // Largest errors seen: 0 (float), 1.4e-14 at position 512 (double; the forms round the angle
    // in different ways). A float may still end up on the other side: 6e-8.
    const double tolerance = by_precision(1.2e-7, 6e-14);
    check_close("51 x 64", sinusoidal_positions(51, 64), expected.at("table_51_64"), tolerance);
    check_close("7 x 512", sinusoidal_positions(7, 512), expected.at("table_7_512"), tolerance);
    check_close("513 x 6", sinusoidal_positions(513, 6), expected.at("table_513_6"), tolerance);
    check_close("1 x 2", sinusoidal_positions(1, 2), expected.at("table_1_2"), tolerance);
    check_close("21 x 12", sinusoidal_positions(21, 12), expected.at("table_21_12"), tolerance);
}

TEST_CASE("N18: PE of 3 is PE of 1 turned by 2", "[ch05]") {
    // The example of the documents: pos = 1, k = 2, pos + k = 3.
    for (const std::size_t width : widths) {
        const Encoding shifted = shift_position(sinusoidal_position(1, width), 2);
        CHECK(largest_difference(shifted, sinusoidal_position(3, width)) <= 1e-15);
    }
    const Encoding shifted = shift_position(sinusoidal_position(1, 2), 2);
    // sin(1 + 2) = sin 1 cos 2 + cos 1 sin 2, cos(1 + 2) = cos 1 cos 2 - sin 1 sin 2
    CHECK_THAT(shifted[0], WithinAbs(std::sin(3.0), 1e-15));
    CHECK_THAT(shifted[1], WithinAbs(std::cos(3.0), 1e-15));
}

TEST_CASE("N18: every shift is a rotation of every pair of dimensions", "[ch05]") {
    const std::vector<double> shifts{-300, -64, -2, -1, -0.5, 0, 0.25, 1, 2, 3.75, 17, 128, 511};
    double largest = 0.0;
    for (const std::size_t width : widths) {
        for (const double position : {0.0, 0.5, 1.0, 2.0, 7.0, 100.0, 333.25, 511.0}) {
            const Encoding encoding = sinusoidal_position(position, width);
            for (const double shift : shifts) {
                const Encoding expected = sinusoidal_position(position + shift, width);
                largest = std::max(largest,
                                   largest_difference(shift_position(encoding, shift), expected));
            }
        }
    }
    CHECK(largest <= 1e-12);  // largest error seen: 8.5e-14, in both builds
    CHECK(largest > 0.0);     // rounding there must be: the two ways are not one
}

TEST_CASE("N18: the rotation is linear in the encoding", "[ch05]") {
    const Encoding a{1, 2, -3, 0.5};
    const Encoding b{-2, 0.25, 4, 1};
    Encoding mixed(4);
    Encoding expected(4);
    const Encoding turned_a = shift_position(a, 3);
    const Encoding turned_b = shift_position(b, 3);
    for (std::size_t d = 0; d < 4; ++d) {
        mixed[d] = 2 * a[d] - 5 * b[d];
        expected[d] = 2 * turned_a[d] - 5 * turned_b[d];
    }
    CHECK(largest_difference(shift_position(mixed, 3), expected) <= 1e-14);
}

TEST_CASE("shift_position: there and back again", "[ch05]") {
    const Encoding start{0.5, -1, 2, 3};
    CHECK(shift_position(start, 0) == start);
    CHECK(largest_difference(shift_position(shift_position(start, 5.5), -5.5), start) <= 1e-15);
}

TEST_CASE("sinusoidal_position: odd and zero widths are refused", "[ch05]") {
    CHECK_THROWS_AS(sinusoidal_position(1, 0), ShapeError);
    CHECK_THROWS_AS(sinusoidal_position(1, 1), ShapeError);
    CHECK_THROWS_AS(sinusoidal_position(1, 7), ShapeError);
    CHECK_THROWS_WITH(sinusoidal_position(1, 7),
                      ContainsSubstring("width (found 7, expected even and at least 2"));
    CHECK_THROWS_AS(sinusoidal_positions(3, 0), ShapeError);
    CHECK_THROWS_AS(sinusoidal_positions(3, 5), ShapeError);
    CHECK_THROWS_AS(sinusoidal_positions(0, 4), ShapeError);
    CHECK_THROWS_AS(shift_position({}, 1), ShapeError);
    CHECK_THROWS_AS(shift_position({1, 2, 3}, 1), ShapeError);
    // An odd width is refused before memory is asked for.
    CHECK_THROWS_AS(sinusoidal_positions(1, std::numeric_limits<std::size_t>::max()), ShapeError);
    CHECK_THROWS_AS(sinusoidal_positions(std::numeric_limits<std::size_t>::max(), 4),
                    std::length_error);
}

TEST_CASE("sinusoidal_position: a position that is not finite is refused", "[ch05]") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(sinusoidal_position(infinity, 4), NumericError);
    CHECK_THROWS_AS(sinusoidal_position(std::nan(""), 4), NumericError);
    CHECK_THROWS_AS(shift_position({0, 1}, -infinity), NumericError);
}

TEST_CASE("sinusoidal_position: the table that the lesson works out by hand", "[ch05]") {
    const double table[4][4] = {{0, 1, 0, 1},
                                {0.84147098, 0.54030231, 0.00999983, 0.99995000},
                                {0.90929743, -0.41614684, 0.01999867, 0.99980001},
                                {0.14112001, -0.98999250, 0.02999550, 0.99955003}};
    for (std::size_t position = 0; position < 4; ++position) {
        const auto encoding = sinusoidal_position(static_cast<double>(position), 4);
        for (std::size_t d = 0; d < 4; ++d) {
            CHECK_THAT(encoding[d], WithinAbs(table[position][d], 5e-9));  // half a last digit
        }
    }
}
