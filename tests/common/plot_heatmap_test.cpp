#include "common/plot/heatmap.hpp"

#include <png.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <string>

#include "common/plot/png_image.hpp"
#include "tests/support/catch.hpp"

using bert::Box;
using bert::Color;
using bert::Heatmap;
using bert::Picture;
using bert::Real;
using bert::Shape;
using bert::Tensor;

namespace {

Heatmap small_heatmap() {
    return {.values = Tensor{{0.0, 0.25, 0.5}, {0.5, 0.75, 1.0}},
            .row_names = {"cat", "sat"},
            .column_names = {"the", "cat", "something long"},
            .title = "Weights",
            .row_title = "target",
            .column_title = "source"};
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

// The boxes of the cells: those with a tooltip, row by row.
std::vector<Box> cells(const Picture& picture) {
    std::vector<Box> boxes;
    for (const auto& shape : picture.shapes) {
        const Box* box = std::get_if<Box>(&shape);
        if (box != nullptr && !box->tooltip.empty()) boxes.push_back(*box);
    }
    return boxes;
}

bert::PixelImage decode(const std::string& bytes) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) != 0);
    png.format = PNG_FORMAT_RGB;
    std::vector<png_byte> data(3UL * png.width * png.height);
    REQUIRE(png_image_finish_read(&png, nullptr, data.data(), 0, nullptr) != 0);
    bert::PixelImage image{png.width, png.height, {}};
    for (std::size_t i = 0; i < data.size(); i += 3) {
        image.pixels.push_back({data[i], data[i + 1], data[i + 2]});
    }
    return image;
}

}  // namespace

TEST_CASE("heatmap_svg: one document with a title and a cell for each number", "[plot]") {
    const std::string svg = bert::heatmap_svg(small_heatmap());
    CHECK(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0) == 0);
    CHECK(svg.substr(svg.size() - 7) == "</svg>\n");
    CHECK(count(svg, "viewBox=\"0 0 ") == 1);
    CHECK(count(svg, "role=\"img\"") == 1);
    CHECK(count(svg, "<title>Weights</title>") == 1);
    CHECK(count(svg, "<title>cat, something long: 0.5000</title>") == 1);
    CHECK(count(svg, "<title>") == 1 + 6);
    CHECK(count(svg, "rotate(-45)") == 3);
    CHECK(count(svg, ">target</text>") == 1);
    CHECK(count(svg, "fill=\"#440154\"") >= 1);
    CHECK(count(svg, "fill=\"#fde725\"") >= 1);
    CHECK(count(svg, "<text") == count(svg, "</text>"));
}

TEST_CASE("heatmap_svg: text is escaped and made visible", "[plot]") {
    Heatmap heatmap = small_heatmap();
    heatmap.title = "a < b & \"c\" > d\x1b\u202e";
    heatmap.row_names = {"</text><script>", "\xff\x01"};
    const std::string svg = bert::heatmap_svg(heatmap);
    CHECK(count(svg, "a &lt; b &amp; &quot;c&quot; &gt; d\\x1B\\u202E") == 2);
    CHECK(count(svg, "&lt;/text&gt;&lt;script&gt;") >= 1);
    CHECK(count(svg, "<script") == 0);
    CHECK(count(svg, "?\\x01") >= 1);
    CHECK(std::none_of(svg.begin(), svg.end(),
                       [](char c) { return c >= '\0' && c < ' ' && c != '\n'; }));
}

TEST_CASE("heatmap_svg: numbers stand in the cells when asked for", "[plot]") {
    Heatmap heatmap = small_heatmap();
    CHECK(count(bert::heatmap_svg(heatmap), ">0.750</text>") == 0);
    heatmap.show_numbers = true;
    heatmap.decimals = 3;
    const std::string svg = bert::heatmap_svg(heatmap);
    CHECK(count(svg, ">0.750</text>") == 1);
    CHECK(count(svg, "fill=\"#ffffff\">0.250</text>") == 1);  // white on dark
    CHECK(count(svg, "fill=\"#ffffff\">1.000</text>") == 0);  // black on light
}

TEST_CASE("heatmap_svg: equal heatmaps give equal bytes in every locale", "[plot]") {
    const Heatmap heatmap = small_heatmap();
    const std::string svg = bert::heatmap_svg(heatmap);
    const std::string png = bert::heatmap_png(heatmap);
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
        std::setlocale(LC_ALL, name);
        CHECK(bert::heatmap_svg(heatmap) == svg);
        CHECK(bert::heatmap_png(heatmap) == png);
    }
    std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("heatmap_svg: a large table is one image", "[plot]") {
    Heatmap heatmap;
    heatmap.values = Tensor(Shape{50, 512});
    heatmap.values(0, 0) = Real{1};
    const std::string svg = bert::heatmap_svg(heatmap);
    CHECK(count(svg, "<image ") == 1);
    CHECK(count(svg, "data:image/png;base64,iVBORw0KGgo") == 1);
    CHECK(count(svg, "<rect ") < 100);
    CHECK(svg.size() < 50000);
    CHECK(count(svg, ">500</text>") == 1);  // every twentieth column number
    CHECK(count(svg, ">501</text>") == 0);
}

TEST_CASE("heatmap_png: the centre of each cell has its colour", "[plot]") {
    const Heatmap heatmap = small_heatmap();
    const Picture picture = bert::heatmap_picture(heatmap, 90);
    const std::string bytes = bert::heatmap_png(heatmap);
    const bert::PixelImage image = decode(bytes);
    const std::vector<Box> boxes = cells(picture);
    REQUIRE(boxes.size() == 6);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto x = static_cast<std::size_t>(2.0 * boxes[i].x + boxes[i].width);
        const auto y = static_cast<std::size_t>(2.0 * boxes[i].y + boxes[i].height);
        const auto value = static_cast<double>(heatmap.values.values()[i]);
        CHECK(image.pixels[y * image.width + x] == bert::viridis(value));
    }
    CHECK(image.pixels.front() == bert::white);
    CHECK(bytes.find("tIME") == std::string::npos);
    CHECK(std::count(image.pixels.begin(), image.pixels.end(), bert::black) > 500);  // letters
}

TEST_CASE("heatmap_png: an image keeps every pixel of a large table", "[plot]") {
    Heatmap heatmap;
    heatmap.values = Tensor(Shape{70, 70});
    heatmap.values(69, 69) = Real{1};
    const bert::PixelImage image = decode(bert::heatmap_png(heatmap));
    // A cell is 16 x 16 pixels; the frame covers its last row and column.
    CHECK(std::count(image.pixels.begin(), image.pixels.end(), bert::viridis(1.0)) == 225);
}

TEST_CASE("color_range: least and greatest or what is given", "[plot]") {
    Heatmap heatmap = small_heatmap();
    CHECK(bert::color_range(heatmap) == std::pair{0.0, 1.0});
    heatmap.range = std::pair{-2.0, 3.0};
    CHECK(bert::color_range(heatmap) == std::pair{-2.0, 3.0});
    heatmap.range.reset();
    heatmap.values = Tensor{{4.0, 4.0, 4.0}, {4.0, 4.0, 4.0}};
    CHECK(bert::color_range(heatmap) == std::pair{2.0, 6.0});
    heatmap.range = std::pair{1.0, 1.0};
    CHECK_THROWS_AS(bert::color_range(heatmap), std::invalid_argument);
    heatmap.range = std::pair{std::nan(""), 1.0};
    CHECK_THROWS_AS(bert::color_range(heatmap), std::invalid_argument);
}

TEST_CASE("fraction_of: the widest range of doubles does not overflow", "[plot]") {
    constexpr double most = std::numeric_limits<double>::max();
    CHECK(bert::fraction_of(0.0, {-most, most}) == 0.5);
    CHECK(bert::fraction_of(most, {-most, most}) == 1.0);
}

TEST_CASE("heatmap: names and shapes that do not fit are refused", "[plot]") {
    Heatmap heatmap = small_heatmap();
    heatmap.row_names.pop_back();
    CHECK_THROWS_AS(bert::heatmap_svg(heatmap), bert::ShapeError);
    CHECK_THROWS_WITH(bert::heatmap_png(heatmap),
                      ContainsSubstring("1 row names") && ContainsSubstring("(2, 3)"));
    heatmap = small_heatmap();
    heatmap.column_names.emplace_back("more");
    CHECK_THROWS_AS(bert::heatmap_svg(heatmap), bert::ShapeError);
    heatmap = {};
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 0}, Shape{0, 2}, Shape{1, 2, 3},
                               Shape{1, 2049}, Shape{2049, 1}}) {
        heatmap.values = Tensor(shape);
        CHECK_THROWS_AS(bert::heatmap_svg(heatmap), bert::ShapeError);
    }
}

TEST_CASE("heatmap: a number that is not finite is refused", "[plot]") {
    Heatmap heatmap = small_heatmap();
    heatmap.values(1, 2) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(bert::heatmap_svg(heatmap), bert::NumericError);
    heatmap.values(1, 2) = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_AS(bert::heatmap_png(heatmap), bert::NumericError);
}

TEST_CASE("encode_png: pixels come back and a wrong count is refused", "[plot]") {
    const bert::PixelImage image{
        3, 2, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}}};
    const bert::PixelImage back = decode(bert::encode_png(image));
    CHECK(back.width == 3);
    CHECK(back.height == 2);
    CHECK(back.pixels == image.pixels);
    CHECK_THROWS_AS(bert::encode_png({3, 2, {{1, 2, 3}}}), bert::ShapeError);
    CHECK_THROWS_AS(bert::encode_png({}), bert::ShapeError);
}

TEST_CASE("draw_text: letters stay inside the image and run upwards when asked", "[plot]") {
    bert::PixelImage image{8, 8, std::vector<Color>(64, bert::white)};
    bert::draw_text(image, -3, -3, "HHH", 3, bert::black);
    bert::draw_text(image, 0, 8, "-", 1, Color{255, 0, 0}, true);
    // A dash is the fourth row of its letter: upwards, the fourth column.
    for (std::size_t y = 3; y < 8; ++y)
        CHECK(image.pixels[y * 8 + 3] == Color{255, 0, 0});
}

TEST_CASE("to_png: a picture too large for memory is refused", "[plot]") {
    Picture picture;
    picture.width = 1e9;
    picture.height = 10.0;
    CHECK_THROWS_AS(bert::to_png(picture), std::length_error);
}
