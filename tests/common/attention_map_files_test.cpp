#include <filesystem>
#include <string>

#include "common/attention_map/attention_dump.hpp"
#include "common/io/atomic_file.hpp"
#include "common/plot/heatmap.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/shell.hpp"

using namespace bert;

namespace {

// Weights that depend on every index: source s of S has (s + 1 + 3 of the other indices) parts.
Tensor made_up_weights(const Shape& shape) {
    Tensor weights{shape};
    for (std::size_t r = 0; r < weights.num_rows(); ++r) {
        double total = 0.0;
        const auto part = [&](std::size_t s) {
            return static_cast<double>((s + 1 + 3 * r) % 7 + s);
        };
        for (std::size_t s = 0; s < shape[4]; ++s)
            total += part(s);
        for (std::size_t s = 0; s < shape[4]; ++s)
            weights.mutable_row(r)[s] = static_cast<Real>(part(s) / total);
    }
    return weights;
}

AttentionDump made_up_dump(std::vector<std::string> tokens) {
    AttentionDump dump;
    dump.attentions = made_up_weights({2, 1, 3, tokens.size(), tokens.size()});
    dump.layers = {1, 4};
    dump.heads = {0, 2, 7};
    dump.tokens = {std::move(tokens)};
    return dump;
}

void check_with_other_parsers(const std::string& name, const AttentionDump& dump,
                              NpyFloat type = NpyFloat::f4) {
    const std::filesystem::path folder = test::scratch_folder("attention_files_" + name);
    const auto path = [&](const char* file) { return (folder / file).string(); };
    write_attention_npz(path("x.npz"), dump, type);
    // Text is compared with what the .npz holds.
    const AttentionDump read = read_attention_npz(path("x.npz"));
    AttentionDump compared = type == NpyFloat::f4 ? read : dump;
    write_file(path("x.json"), attention_json(compared));
    write_file(path("x.csv"), attention_csv(compared));
    write_file(path("x.svg"), to_svg(attention_grid(dump)));
    write_file(path("x.png"), to_png(attention_grid(dump)));
    const std::string source = BERT_SOURCE_DIR;
    const auto parse = [&](const std::string& svg, const std::string& png) {
        return test::shell("python3 '" + source + "/tests/common/attention_map/check_files.py' '" +
                           path("x.npz") + "' '" + path("x.json") + "' '" + path("x.csv") + "' '" +
                           svg + "' '" + png + "' '" + source +
                           "/data/schema/attention_meta.schema.json'");
    };
    const auto parsed = [&](const char* svg, const char* png) {
        const test::Outcome outcome = parse(path(svg), path(png));
        INFO(outcome.err);
        CHECK(outcome.code == 0);
        CHECK_THAT(outcome.out, ContainsSubstring("in five formats"));
    };
    if (type == NpyFloat::f4) parsed("x.svg", "x.png");
    const Heatmap head = attention_heatmap(dump, dump.layers.size() - 1, 0, 0);
    write_file(path("head.svg"), heatmap_svg(head));
    write_file(path("head.png"), heatmap_png(head));
    if (type == NpyFloat::f4) parsed("head.svg", "head.png");
    // The check can fail.
    write_file(path("x.csv"), attention_csv(dump, 0, 0.05));
    CHECK(parse(path("x.svg"), path("x.png")).code != 0);
}

}  // namespace

TEST_CASE("attention dump: parsers of others agree about all five formats", "[attention_map]") {
    AttentionDump dump = made_up_dump({"[CLS]", "a,\"b", "=cmd()", "<script>", "[SEP]"});
    dump.title = "Maps <&\"'> \x1b]52;";
    dump.text = "a,\"b =cmd() <script>alert(1)</script>";
    dump.model_config = R"({"num_attention_heads":8})";
    dump.weights_sha256 = std::string(64, '0');
    dump.sentence_b_start = {3};
    dump.special_tokens = {{"cls", "[CLS]"}};
    dump.prediction = R"({"label":1})";
    dump.token_numbers["input_ids"] = {{1, 5}, {101, 1, 2, 3, 102}};
    dump.token_numbers["word_ids"] = {{1, 5}, {-1, 0, 1, 2, -1}};
    dump.token_numbers["offsets"] = {{1, 5, 2}, {0, 0, 0, 4, 5, 11, 12, 20, 0, 0}};
    dump.value_norms = Tensor(Shape{2, 1, 3, 5});
    dump.rollout = Tensor(Shape{1, 5, 5});
    check_with_other_parsers("full", dump);
}

TEST_CASE("attention dump: parsers of others agree about tokens that are hard to show",
          "[attention_map]") {
    check_with_other_parsers(
        "hard", made_up_dump({"</script><img src=x onerror=a>", "<!--", "]]>", "{{x}}", "a\nb",
                              "\r", "\xE2\x80\xAE", "\xE2\x80\xA8", "'", "`", "", " ", "-", "@x",
                              "\xF0\x9F\x90\x88", "javascript:a", "\x01\x1b[2J"}));
}

TEST_CASE("attention dump: parsers of others agree about cross-attention", "[attention_map]") {
    AttentionDump dump = made_up_dump({"a", "b", "c"});
    dump.attentions = made_up_weights({2, 1, 3, 3, 4});
    dump.source_tokens = {{"s", "-1", "u", "v"}};
    dump.mask = AttentionMask::causal;
    check_with_other_parsers("cross", dump);
}

TEST_CASE("attention_grid: a map for each head with its numbers", "[attention_map]") {
    AttentionDump dump = made_up_dump({"a", "b"});
    dump.title = "Title";
    const Picture picture = attention_grid(dump);
    std::vector<std::string> labels;
    std::vector<Mosaic> maps;
    for (const auto& shape : picture.shapes) {
        if (const auto* label = std::get_if<Label>(&shape)) labels.push_back(label->text);
        if (const auto* mosaic = std::get_if<Mosaic>(&shape)) maps.push_back(*mosaic);
    }
    for (const char* text : {"Title", "head", "0", "2", "7", "layer 1", "layer 4"})
        CHECK(std::find(labels.begin(), labels.end(), text) != labels.end());
    REQUIRE(maps.size() == 6 + 1);  // and the colour bar
    double greatest = 0.0;
    for (const Real weight : dump.attentions.values())
        greatest = std::max(greatest, static_cast<double>(weight));
    for (std::size_t map = 0; map < 6; ++map) {
        CHECK(maps[map].rows == 2);
        CHECK(maps[map].columns == 2);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(maps[map].cells[i] ==
                  viridis(static_cast<double>(dump.attentions.data()[4 * map + i]) / greatest));
        }
    }
    CHECK(maps[0].x < maps[1].x);
    CHECK(maps[0].y == maps[2].y);
    CHECK(maps[3].x == maps[0].x);
    CHECK(maps[3].y > maps[0].y);
    CHECK(picture.title == "Title");
    CHECK_THAT(picture.description, ContainsSubstring("2 layers of 3 heads"));
}

TEST_CASE("attention_grid: takes the sequence that is asked for", "[attention_map]") {
    AttentionDump dump;
    dump.attentions = Tensor(Shape{1, 2, 1, 1, 2}, {1, 0, 0, 1});
    dump.layers = {0};
    dump.heads = {0};
    dump.tokens = {{"a"}, {"b"}};
    dump.source_tokens = {{"x", "y"}, {"x", "y"}};
    const auto first_cell = [&](std::size_t sequence) {
        const Picture picture = attention_grid(dump, sequence);
        for (const auto& shape : picture.shapes) {
            if (const auto* mosaic = std::get_if<Mosaic>(&shape)) return mosaic->cells[0];
        }
        return black;
    };
    CHECK(first_cell(0) == viridis(1.0));
    CHECK(first_cell(1) == viridis(0.0));
    CHECK_THROWS_AS(attention_grid(dump, 2), ShapeError);
}

TEST_CASE("attention_grid: of more cells than pixels each pixel shows the greatest",
          "[attention_map]") {
    // One map of 500 x 500 with a single bright weight beside small ones.
    AttentionDump dump;
    dump.attentions = Tensor(Shape{1, 1, 1, 500, 500});
    for (std::size_t t = 0; t < 500; ++t) {
        for (Real& weight : dump.attentions.mutable_row(t))
            weight = static_cast<Real>(0.002);
    }
    const std::span<Real> row = dump.attentions.mutable_row(333);
    std::fill(row.begin(), row.end(), Real{0});
    row[77] = 1;
    dump.layers = {0};
    dump.heads = {0};
    dump.tokens = {std::vector<std::string>(500, "t")};
    const Picture picture = attention_grid(dump);
    for (const auto& shape : picture.shapes) {
        const auto* mosaic = std::get_if<Mosaic>(&shape);
        if (mosaic == nullptr || mosaic->columns == 1) continue;
        CHECK(mosaic->rows == 192);  // 96 units of two pixels
        CHECK(mosaic->columns == 192);
        const std::size_t bright = 333 * 192 / 500 * 192 + 77 * 192 / 500;
        CHECK(mosaic->cells[bright] == viridis(1.0));
        CHECK(std::count(mosaic->cells.begin(), mosaic->cells.end(), viridis(1.0)) == 1);
        CHECK(std::count(mosaic->cells.begin(), mosaic->cells.end(), viridis(0.002)) ==
              192 * 192 - 1);
    }
    dump.attentions = Tensor(Shape{129, 1, 1, 1, 1}, std::vector<Real>(129, Real{1}));
    dump.layers = std::vector<std::int32_t>(129);
    dump.tokens = {{"t"}};
    CHECK_THROWS_AS(attention_grid(dump), ShapeError);
}
