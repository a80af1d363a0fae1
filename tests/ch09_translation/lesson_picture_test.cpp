#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ch09_translation/model_file.hpp"
#include "ch09_translation/translation_pictures.hpp"
#include "common/io/data_file.hpp"
#include "common/plot/heatmap.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/svg_cells.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("ch09: the map in the lesson is that of the model", "[ch09]") {
    const TranslationMaps maps = translation_maps(load_model(data_file("models/translation.npz")),
                                                  "je ne vois pas le chat noir");
    const std::vector<SvgCell> drawn =
        svg_cells(heatmap_svg(mean_over_heads(maps.cross, 1, maps.cross.title)));
    const std::vector<SvgCell> shown = svg_cells(
        content(BERT_SOURCE_DIR "/chapters/ch09_translation/figures/cross_attention.svg"));
    REQUIRE(drawn.size() == 8 * 8);
    REQUIRE(shown.size() == drawn.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        CHECK(drawn[i].name == shown[i].name);
        largest = std::max(largest, std::abs(drawn[i].number - shown[i].number));
    }
    CHECK(largest <= 2e-4);  // of printed weights; largest seen: 0, another precision may round off
}
