#include "common/plot/png_image.hpp"

#include <png.h>

#include <array>
#include <csetjmp>

#include "common/plot/bitmap_font.hpp"
#include "common/plot/visible_text.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

namespace {

const Letter& letter_of(char32_t c) {
    const bool known = c >= U' ' && c <= U'~';
    return known ? bitmap_font[c - U' '] : bitmap_font.back();
}

void fill_square(PixelImage& image, long left, long top, int side, Color color) {
    for (long y = top; y < top + side; ++y) {
        for (long x = left; x < left + side; ++x) {
            const bool inside = x >= 0 && y >= 0 && x < static_cast<long>(image.width) &&
                                y < static_cast<long>(image.height);
            if (!inside) continue;
            image.pixels[static_cast<std::size_t>(y) * image.width + static_cast<std::size_t>(x)] =
                color;
        }
    }
}

void append_bytes(png_structp png, png_bytep data, png_size_t size) {
    auto& bytes = *static_cast<std::string*>(png_get_io_ptr(png));
    bytes.append(reinterpret_cast<const char*>(data), size);
}

// libpng returns to the caller's setjmp on an error, so nothing between the two may need a
// destructor: the row and the result live with the caller.
bool write_png(png_structp png, png_infop info, const PixelImage& image,
               std::vector<png_byte>& row) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT
    png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
                 static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 6);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_write_info(png, info);
    for (std::size_t y = 0; y < image.height; ++y) {
        for (std::size_t x = 0; x < image.width; ++x) {
            const Color color = image.pixels[y * image.width + x];
            row[3 * x] = color.red;
            row[3 * x + 1] = color.green;
            row[3 * x + 2] = color.blue;
        }
        png_write_row(png, row.data());
    }
    png_write_end(png, nullptr);
    return true;
}

}  // namespace

std::string encode_png(const PixelImage& image) {
    if (image.pixels.empty() || image.pixels.size() != image.width * image.height) {
        throw ShapeError{"encode_png: " + std::to_string(image.pixels.size()) +
                         " pixels for an image of " + to_string(Shape{image.height, image.width})};
    }
    std::string bytes;
    std::vector<png_byte> row(3 * image.width);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
    bool good = info != nullptr;
    if (good) {
        png_set_write_fn(png, &bytes, append_bytes, nullptr);
        good = write_png(png, info, image, row);
    }
    png_destroy_write_struct(&png, &info);
    if (!good) throw std::runtime_error{"encode_png: libpng could not make the picture"};
    return bytes;
}

void draw_text(PixelImage& image, long x, long y, const std::string& text, int scale, Color color,
               bool upwards) {
    long along = 0;  // from the start of the text to the pixel, across from its top
    for (const char32_t c : repaired_code_points(text)) {
        const Letter& letter = letter_of(c);
        for (std::size_t r = 0; r < letter.size(); ++r) {
            for (long column = 0; column < 5; ++column) {
                if ((letter[r] & (0x10U >> static_cast<unsigned>(column))) == 0) continue;
                const long a = along + column * scale;
                const long b = static_cast<long>(r) * scale;
                const long left = upwards ? x + b : x + a;
                const long top = upwards ? y - a - scale : y + b;
                fill_square(image, left, top, scale, color);
            }
        }
        along += static_cast<long>(letter_advance) * scale;
    }
}

}  // namespace bert
