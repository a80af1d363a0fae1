#include "common/plot/colormap.hpp"

#include <cmath>
#include <limits>

#include "common/plot/viridis_table.hpp"
#include "tests/support/catch.hpp"

using bert::Color;
using bert::viridis;

TEST_CASE("viridis: the ends and the middle are Matplotlib's colours", "[plot]") {
    CHECK(bert::to_hex(viridis(0.0)) == "#440154");
    CHECK(bert::to_hex(viridis(0.25)) == "#3b528b");
    CHECK(bert::to_hex(viridis(0.5)) == "#21918c");
    CHECK(bert::to_hex(viridis(0.75)) == "#5ec962");
    CHECK(bert::to_hex(viridis(1.0)) == "#fde725");
}

TEST_CASE("viridis: a number outside 0 to 1 has the colour of the nearer end", "[plot]") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(viridis(-0.1) == viridis(0.0));
    CHECK(viridis(-infinity) == viridis(0.0));
    CHECK(viridis(1.1) == viridis(1.0));
    CHECK(viridis(infinity) == viridis(1.0));
    CHECK(viridis(std::nan("")) == viridis(0.0));
}

TEST_CASE("contrast_ratio: black on white has 21 and a colour on itself 1", "[plot]") {
    CHECK_THAT(bert::contrast_ratio(bert::black, bert::white), WithinAbs(21.0, 1e-12));
    CHECK_THAT(bert::contrast_ratio(Color{9, 99, 199}, Color{9, 99, 199}), WithinAbs(1.0, 1e-12));
    // The grey that is known as the lightest with 4.5 on white: (1 + 0.05) / (0.18116 + 0.05).
    CHECK_THAT(bert::contrast_ratio(Color{118, 118, 118}, bert::white), WithinAbs(4.54, 0.005));
}

TEST_CASE("text_color_on: text on every viridis colour has a contrast of 4.5", "[plot]") {
    double last_light = 0.0;
    for (int i = 0; i < 256; ++i) {
        const Color color = viridis(i / 255.0);
        CHECK(bert::contrast_ratio(bert::text_color_on(color), color) >= 4.5);
        const double light = bert::contrast_ratio(color, bert::black);
        if (i % 4 == 0) {  // neighbours can differ by rounding only
            CHECK(light > last_light);
            last_light = light;
        }
    }
}
