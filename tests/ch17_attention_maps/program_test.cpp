#include <cmath>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "ch09_translation/translation_pictures.hpp"
#include "ch17_attention_maps/examples.hpp"
#include "ch17_attention_maps/occlusion.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/io/data_file.hpp"
#include "common/tensor/matmul.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/svg_cells.hpp"

using namespace bert;

TEST_CASE("quarter_maps: a dump that says what it is", "[ch17]") {
    const AttentionDump maps = quarter_maps();
    CHECK_NOTHROW(validate(maps));
    CHECK(maps.title == "Two heads by hand");
    CHECK(maps.text == "dogs bark");
    CHECK(maps.special_tokens.at("cls") == "[CLS]");
    CHECK(maps.special_tokens.at("sep") == "[SEP]");
}

TEST_CASE("two_maps_one_output: different weights and equal outputs", "[ch17]") {
    const auto [weights, values] = two_maps_one_output();
    const Tensor output = matmul(weights, values);
    CHECK(output == Tensor(Shape{2, 1, 2}, {1, 7, 1, 7}));
    CHECK(weights(0, 0, 1) == 0.75);
    CHECK(weights(1, 0, 1) == 0.125);
}

TEST_CASE("word_needs: hides one word at a time", "[ch17]") {
    const TranslationModel model = load_model(data_file("models/translation.npz"));
    const std::vector<WordNeed> needs = word_needs(model, "je ne vois pas le chat noir");
    REQUIRE(needs.size() == 8);
    CHECK(needs[5].word == "chat");
    CHECK(needs[7].word == "<end>");
    double total = 0.0;
    for (const WordNeed& need : needs)
        total += need.attention;
    CHECK_THAT(total, WithinAbs(1.0, 1e-5));  // seen: 6e-8
    // Without the cat there is no way to say it.
    CHECK(needs[5].loss > 5.0);
    // The shares are those of the maps of chapter 9.
    const AttentionDump cross = translation_maps(model, "je ne vois pas le chat noir").cross;
    double sum = 0.0;
    for (std::size_t r = 0; r < cross.attentions.num_rows(); ++r)
        sum += static_cast<double>(cross.attentions.row(r)[5]);
    CHECK_THAT(needs[5].attention,
               WithinAbs(sum / static_cast<double>(cross.attentions.num_rows()), 1e-6));
    CHECK_THROWS_AS(word_needs(model, "zebre"), std::invalid_argument);
}

TEST_CASE("ch17: reads the dump that it wrote", "[ch17]") {
    const auto folder = test::scratch_folder("ch17_dump");
    write_attention_npz((folder / "x.npz").string(), quarter_maps());
    const auto all = test::program(folder, "ch17", "--dump x.npz --out out");
    CHECK(all.code == 0);
    CHECK_THAT(all.out, ContainsSubstring("(L=2, B=1, H=1, T=4, S=4)\n") &&
                            ContainsSubstring("    1    0     0.87") &&
                            ContainsSubstring("wrote out/maps.csv"));
    CHECK(read_attention_npz((folder / "out/maps.attn.npz").string()).attentions ==
          quarter_maps().attentions);
    const auto one = test::program(folder, "ch17", "--dump x.npz --layers 1");
    CHECK_THAT(one.out, ContainsSubstring("(L=1, B=1, H=1, T=4, S=4)\n"));
    CHECK(one.out.find("    0    0     0.00") == std::string::npos);
    CHECK(std::filesystem::exists(folder / "out/rollout.svg"));
    // The dump that is read stays as it is, wherever the files go.
    const auto again =
        test::program(folder, "ch17", "--dump out/maps.attn.npz --layers 1 --out out");
    CHECK(again.code == 0);
    CHECK(read_attention_npz((folder / "out/maps.attn.npz").string()).layers ==
          quarter_maps().layers);
}

TEST_CASE("ch17: options and files that make no sense are refused before any output", "[ch17]") {
    const auto folder = test::scratch_folder("ch17_refusals");
    write_attention_npz((folder / "x.npz").string(), quarter_maps());
    std::ofstream{folder / "bad.npz"} << "no archive";
    const auto refused = [&](const std::string& arguments, int code, const std::string& message) {
        INFO(arguments);
        test::check_refused(test::program(folder, "ch17", arguments), code, message);
    };
    refused("--layers 0", 2, "--layers, --heads: need --dump");
    refused("--dump x.npz --sentence 'le chat'", 2, "--dump, --sentence: one of them");
    refused("--dump x.npz --layers 2", 2, "--layers: found '2', expected 0, 1");
    refused("--dump x.npz --heads a", 2, "--heads: found 'a'");
    refused("--dump bad.npz", 3, "bad.npz: ");
    refused("--dump missing.npz", 4, "missing.npz");
    refused("--dump maps.json", 2, "only .npz dumps are read");
    refused("--sentence ''", 2, "--sentence");
}

TEST_CASE("ch17: a sentence of the reader's own", "[ch17]") {
    const auto folder = test::scratch_folder("ch17_sentence");
    const auto own = test::program(folder, "ch17", "--sentence 'le chat noir dort ici'");
    CHECK(own.code == 0);
    CHECK_THAT(own.out, ContainsSubstring("the black cat sleeps here"));
}

namespace {

// Without the pixels, which depend on the library that packs them.
std::string without_images(const std::string& svg) {
    return std::regex_replace(svg, std::regex{"base64,[^\"]*"}, "base64,");
}

}  // namespace

TEST_CASE("ch17: the pictures of the lesson are those of the program", "[ch17]") {
    const auto folder = test::scratch_folder("ch17_pictures");
    REQUIRE(test::program(folder, "ch17", "--out out").code == 0);
    const std::string figures = BERT_SOURCE_DIR "/chapters/ch17_attention_maps/figures/";
    CHECK(without_images(test::content(folder / "out/grid.svg")) ==
          without_images(test::content(figures + "maps.svg")));
    const std::vector<test::SvgCell> drawn =
        test::svg_cells(test::content(folder / "out/rollout.svg"));
    const std::vector<test::SvgCell> shown =
        test::svg_cells(test::content(figures + "rollout.svg"));
    REQUIRE(drawn.size() == 8 * 8);
    REQUIRE(shown.size() == drawn.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        CHECK(drawn[i].name == shown[i].name);
        // Of printed shares; largest error seen: 0, another precision may round off.
        CHECK_THAT(drawn[i].number, WithinAbs(shown[i].number, 2e-4));
    }
}
