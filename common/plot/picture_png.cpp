#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "common/plot/picture.hpp"
#include "common/plot/png_image.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

constexpr double pixels = png_pixels_per_unit;

long to_pixel(double units) {
    return std::lround(units * pixels);
}

struct PngWriter {
    PixelImage& image;

    void fill(long left, long top, long right, long bottom, Color color) const {
        const auto clip = [](long x, std::size_t size) {
            return static_cast<std::size_t>(std::clamp(x, 0L, static_cast<long>(size)));
        };
        for (std::size_t y = clip(top, image.height); y < clip(bottom, image.height); ++y) {
            for (std::size_t x = clip(left, image.width); x < clip(right, image.width); ++x) {
                image.pixels[y * image.width + x] = color;
            }
        }
    }

    void operator()(const Box& box) const {
        fill(to_pixel(box.x), to_pixel(box.y), to_pixel(box.x + box.width),
             to_pixel(box.y + box.height), box.fill);
    }

    void operator()(const Label& label) const {
        const int scale = std::max(1, static_cast<int>(std::lround(label.size * pixels / 12.0)));
        const std::string text = visible_text(label.text);
        const long length =
            static_cast<long>(repaired_code_points(text).size()) * letter_advance * scale;
        long shift = 0;
        if (label.anchor == Anchor::middle) shift = length / 2;
        if (label.anchor == Anchor::end) shift = length;
        const long half_height = letter_height * scale / 2;
        const long x = to_pixel(label.x);
        const long y = to_pixel(label.y);
        if (label.degrees_up == 0) {
            draw_text(image, x - shift, y - half_height, text, scale, label.color);
        } else {
            draw_text(image, x - half_height, y + shift, text, scale, label.color, true);
        }
    }

    // A square at every pixel along the line, but in the gaps between dashes.
    void operator()(const Polyline& line) const {
        const long side = std::max(1L, to_pixel(line.width));
        double travelled = 0.0;
        for (std::size_t i = 1; i < line.points.size(); ++i) {
            const auto [x0, y0] = line.points[i - 1];
            const auto [x1, y1] = line.points[i];
            const double length = std::hypot(x1 - x0, y1 - y0) * pixels;
            const auto steps = static_cast<long>(std::ceil(length));
            for (long s = 0; s <= steps; ++s) {
                const double part =
                    steps == 0 ? 0.0 : static_cast<double>(s) / static_cast<double>(steps);
                if (in_gap(line, (travelled + part * length) / pixels)) continue;
                const long x = to_pixel(x0 + part * (x1 - x0)) - side / 2;
                const long y = to_pixel(y0 + part * (y1 - y0)) - side / 2;
                fill(x, y, x + side, y + side, line.color);
            }
            travelled += length;
        }
    }

    static bool in_gap(const Polyline& line, double distance) {
        int period = 0;
        for (const int length : line.dashes)
            period += length;
        if (period <= 0) return false;
        double rest = std::fmod(distance, period);
        bool gap = false;
        for (const int length : line.dashes) {
            if (rest < length) return gap;
            rest -= length;
            gap = !gap;
        }
        return false;
    }

    void operator()(const Mosaic& mosaic) const {
        const auto edge = [](double start, double size, std::size_t i, std::size_t count) {
            return to_pixel(start + size * static_cast<double>(i) / static_cast<double>(count));
        };
        for (std::size_t r = 0; r < mosaic.rows; ++r) {
            const long top = edge(mosaic.y, mosaic.height, r, mosaic.rows);
            const long bottom = edge(mosaic.y, mosaic.height, r + 1, mosaic.rows);
            for (std::size_t c = 0; c < mosaic.columns; ++c) {
                fill(edge(mosaic.x, mosaic.width, c, mosaic.columns), top,
                     edge(mosaic.x, mosaic.width, c + 1, mosaic.columns), bottom,
                     mosaic.cells[r * mosaic.columns + c]);
            }
        }
    }
};

}  // namespace

std::string to_png(const Picture& picture) {
    constexpr double largest = 20000.0;
    const double width = std::ceil(picture.width * pixels);
    const double height = std::ceil(picture.height * pixels);
    if (!(width >= 1.0 && height >= 1.0 && width <= largest && height <= largest)) {
        throw std::length_error{fmt::format(
            "to_png: a picture of {} x {} pixels (expected 1 to 20000)", width, height)};
    }
    PixelImage image{static_cast<std::size_t>(width), static_cast<std::size_t>(height), {}};
    image.pixels.assign(image.width * image.height, white);
    for (const auto& shape : picture.shapes)
        std::visit(PngWriter{image}, shape);
    return encode_png(image);
}

}  // namespace bert
