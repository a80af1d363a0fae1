#include <algorithm>
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "ch09_translation/model_file.hpp"
#include "ch09_translation/translation_pictures.hpp"
#include "common/io/data_file.hpp"
#include "common/plot/heatmap.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

struct Cell {
    std::string name;  // "black, noir"
    double weight;
};

std::vector<Cell> cells_of(const std::string& svg) {
    std::vector<Cell> cells;
    const std::regex cell{"<title>([^<:]*): ([0-9.]+)</title>"};
    for (std::sregex_iterator at{svg.begin(), svg.end(), cell}, end; at != end; ++at)
        cells.push_back({at->str(1), std::stod(at->str(2))});
    return cells;
}

}  // namespace

TEST_CASE("ch09: the map in the lesson is that of the model", "[ch09]") {
    const TranslationMaps maps = translation_maps(load_model(data_file("models/translation.npz")),
                                                  "je ne vois pas le chat noir");
    const std::vector<Cell> drawn =
        cells_of(heatmap_svg(mean_over_heads(maps.cross, 1, maps.cross.title)));
    const std::vector<Cell> shown =
        cells_of(content(BERT_SOURCE_DIR "/chapters/ch09_translation/figures/cross_attention.svg"));
    REQUIRE(drawn.size() == 8 * 8);
    REQUIRE(shown.size() == drawn.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        CHECK(drawn[i].name == shown[i].name);
        largest = std::max(largest, std::abs(drawn[i].weight - shown[i].weight));
    }
    CHECK(largest <= 2e-4);  // of printed weights; largest seen: 0, another precision may round off
}
