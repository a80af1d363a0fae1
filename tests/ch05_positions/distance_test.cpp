#include "ch05_positions/distance.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "ch05_positions/position_laboratory.hpp"
#include "ch05_positions/position_pictures.hpp"
#include "ch05_positions/sinusoidal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Encoding = std::vector<double>;

double largest_difference(const Encoding& a, const Encoding& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0.0;
    for (std::size_t d = 0; d < a.size(); ++d) {
        REQUIRE_FALSE(std::isnan(a[d] - b[d]));
        largest = std::max(largest, std::abs(a[d] - b[d]));
    }
    return largest;
}

std::string committed(const std::string& name) {
    std::ifstream file{std::string{BERT_SOURCE_DIR} + "/chapters/ch05_positions/figures/" + name,
                       std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

TEST_CASE("position_distance: the chord of one pair", "[ch05]") {
    // Width 2: two points of a circle with radius 1, an angle of 3 apart: chord 2 sin(3/2).
    CHECK_THAT(position_distance(0, 3, 2), WithinAbs(2 * std::sin(1.5), 1e-15));
    CHECK_THAT(position_distance(4, 7, 2), WithinAbs(2 * std::sin(1.5), 1e-14));
    // Width 4: a second circle with the angle 0.03, and Pythagoras.
    CHECK_THAT(position_distance(0, 3, 4),
               WithinAbs(std::hypot(2 * std::sin(1.5), 2 * std::sin(0.015)), 1e-15));
    CHECK(position_distance(5, 5, 64) == 0.0);
}

TEST_CASE("position_distance: depends on the shift alone", "[ch05]") {
    double largest = 0.0;
    for (const std::size_t width : {2U, 8U, 64U, 512U}) {
        for (const double shift : {-3.5, 1.0, 2.0, 50.0, 200.0}) {
            const double expected = position_distance(0, shift, width);
            for (const double position : {1.0, 2.5, 100.0, 300.0}) {
                const double found = position_distance(position, position + shift, width);
                largest = std::max(largest, std::abs(found - expected));
            }
        }
    }
    CHECK(largest <= 2e-13);  // largest error seen: 2.9e-14
}

TEST_CASE("position_similarity: is the cosine of two encodings", "[ch05]") {
    for (const std::size_t width : {2U, 6U, 512U}) {
        for (const double shift : {0.0, 1.0, -7.0, 12.5, 100.0}) {
            const Encoding a = sinusoidal_position(9, width);
            const Encoding b = sinusoidal_position(9 + shift, width);
            double dot = 0.0;
            double squared_a = 0.0;
            double squared_b = 0.0;
            for (std::size_t d = 0; d < width; ++d) {
                dot += a[d] * b[d];
                squared_a += a[d] * a[d];
                squared_b += b[d] * b[d];
            }
            const double similarity = position_similarity(shift, width);
            // Largest error seen: 1.1e-15.
            CHECK_THAT(similarity, WithinAbs(dot / std::sqrt(squared_a * squared_b), 5e-15));
            const double distance = position_distance(0, shift, width);
            CHECK_THAT(distance * distance,
                       WithinAbs(static_cast<double>(width) * (1 - similarity), 1e-11));
        }
    }
    CHECK(position_similarity(0, 512) == 1.0);
    CHECK_THAT(position_similarity(1, 4), WithinAbs((std::cos(1.0) + std::cos(0.01)) / 2, 1e-15));
}

TEST_CASE("position_distance: odd widths and infinite positions are refused", "[ch05]") {
    CHECK_THROWS_AS(position_distance(0, 1, 3), ShapeError);
    CHECK_THROWS_AS(position_distance(0, 1, 0), ShapeError);
    CHECK_THROWS_AS(position_similarity(1, 5), ShapeError);
    CHECK_THROWS_AS(position_similarity(std::numeric_limits<double>::infinity(), 4), NumericError);
}

TEST_CASE("position laboratory: numbers of the five mistakes", "[ch05]") {
    const double s = std::sin(1.0);
    const double c = std::cos(1.0);
    CHECK(largest_difference(position_concatenated(1, 4), {s, std::sin(0.01), c, std::cos(0.01)}) <=
          1e-15);
    CHECK(largest_difference(position_unpaired(1, 4),
                             {s, std::cos(0.1), std::sin(0.01), std::cos(0.001)}) <= 1e-15);
    CHECK(largest_difference(position_not_halved(1, 4),
                             {s, std::cos(0.01), std::sin(1e-4), std::cos(1e-6)}) <= 1e-15);
    CHECK(largest_difference(position_by_parity(1, 4), {c, c, std::cos(0.01), std::cos(0.01)}) <=
          1e-15);
    CHECK(largest_difference(position_by_parity(2, 4), {std::sin(2.0), std::sin(2.0),
                                                        std::sin(0.02), std::sin(0.02)}) <= 1e-15);
    CHECK_THROWS_AS(position_by_parity(0.5, 4), std::invalid_argument);
    CHECK_THROWS_AS(position_by_parity(-1, 4), std::invalid_argument);
    CHECK_THROWS_AS(position_concatenated(1, 3), ShapeError);
    CHECK_THROWS_AS(position_not_halved(1, 0), ShapeError);
}

TEST_CASE("position laboratory: no mistake keeps the rotation", "[ch05]") {
    for (const std::size_t width : {4U, 64U}) {
        CHECK(shift_error(sinusoidal_position, 2, width) <= 2.5e-14);  // largest seen: 5.7e-15
        CHECK(shift_error(position_concatenated, 2, width) > 1.0);
        CHECK(shift_error(position_unpaired, 2, width) > 0.1);
        CHECK(shift_error(position_not_halved, 2, width) > 0.1);
        CHECK(shift_error(position_by_parity, 2, width) > 0.1);
    }
    // The last position counts: PE(65) = PE(63 + 2) replaced by PE(0) in the one place it is used.
    const auto forgetful = [](double position, std::size_t width) {
        return sinusoidal_position(position == 65 ? 0 : position, width);
    };
    CHECK_THAT(shift_error(forgetful, 2, 2), WithinAbs(1 - std::cos(65.0), 1e-14));
    // PE(0) = (0, 1), ... : an encoding that never moves misses by |PE(k) - PE(0)|, here 2 at k pi.
    const auto fixed = [](double, std::size_t width) { return sinusoidal_position(0, width); };
    CHECK_THAT(shift_error(fixed, std::acos(-1.0), 2), WithinAbs(2.0, 1e-15));
}

TEST_CASE("position_in_float: the error grows with the position", "[ch05]") {
    const auto error = [](double position) {
        return largest_difference(position_in_float(position, 512),
                                  sinusoidal_position(position, 512));
    };
    CHECK(error(1) < 1e-6);     // seen: 4.9e-8
    CHECK(error(5000) > 1e-4);  // seen: 2.5e-4: a float near 5000 is a multiple of 4.9e-4
    CHECK(error(5000) < 1e-3);
    const Encoding in_float = position_in_float(4999, 512);
    const Encoding exact = sinusoidal_position(4999, 512);
    double of_sines = 0.0;
    double of_cosines = 0.0;
    for (std::size_t d = 0; d < 512; d += 2) {
        of_sines = std::max(of_sines, std::abs(in_float[d] - exact[d]));
        of_cosines = std::max(of_cosines, std::abs(in_float[d + 1] - exact[d + 1]));
    }
    CHECK(of_sines > 5e-5);
    CHECK(of_cosines > 5e-5);
}

TEST_CASE("position_distance_chart: one curve a width in units of the length", "[ch05]") {
    const LineChart chart = position_distance_chart(3);
    REQUIRE(chart.series.size() == 3);
    CHECK(chart.series[0].name == "D = 8");
    CHECK(chart.series[2].name == "D = 512");
    CHECK(chart.series[1].x == std::vector<double>{0, 1, 2, 3});
    CHECK(chart.series[1].y[0] == 0.0);
    for (std::size_t k = 0; k <= 3; ++k) {
        const double cosine = position_similarity(static_cast<double>(k), 8);
        CHECK_THAT(chart.series[0].y[k], WithinAbs(std::sqrt(2 * (1 - cosine)), 1e-14));
    }
}

TEST_CASE("pictures of the lesson: are those that the program writes", "[ch05]") {
    CHECK(heatmap_svg(positions_heatmap(32, 64)) == committed("positions.svg"));
    CHECK(line_chart_svg(position_distance_chart(200)) == committed("position_distance.svg"));
    CHECK(positions_heatmap(32, 64).values == sinusoidal_positions(32, 64));
}
