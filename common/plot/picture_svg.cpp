#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "common/plot/picture.hpp"
#include "common/plot/png_image.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

std::string escaped(const std::string& text) {
    std::string xml;
    for (const char c : visible_text(text)) {
        switch (c) {
            case '&':
                xml += "&amp;";
                break;
            case '<':
                xml += "&lt;";
                break;
            case '>':
                xml += "&gt;";
                break;
            case '"':
                xml += "&quot;";
                break;
            default:
                xml += c;
        }
    }
    return xml;
}

// At most two decimals, no zeros at the end.
std::string number(double x) {
    std::string text = fmt::format("{:.2f}", x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string base64(const std::string& bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = (group << 8U) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? digits[(group >> (18 - 6 * k)) & 63U] : '=';
        }
    }
    return text;
}

struct SvgWriter {
    std::string& svg;

    void operator()(const Box& box) const {
        svg += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}")", number(box.x),
                           number(box.y), number(box.width), number(box.height), to_hex(box.fill));
        svg += box.tooltip.empty()
                   ? "/>\n"
                   : fmt::format("><title>{}</title></rect>\n", escaped(box.tooltip));
    }

    void operator()(const Label& label) const {
        const double below = 0.35 * label.size;  // from half height to the base line
        if (label.degrees_up == 0) {
            svg += fmt::format(R"(<text x="{}" y="{}")", number(label.x), number(label.y + below));
        } else {
            svg += fmt::format(R"~(<text transform="translate({} {}) rotate(-{})" y="{}")~",
                               number(label.x), number(label.y), label.degrees_up, number(below));
        }
        if (label.anchor == Anchor::middle) svg += R"( text-anchor="middle")";
        if (label.anchor == Anchor::end) svg += R"( text-anchor="end")";
        if (label.size != 12) svg += fmt::format(R"( font-size="{}")", label.size);
        if (label.color != black) svg += fmt::format(R"( fill="{}")", to_hex(label.color));
        svg += ">" + escaped(label.text) + "</text>\n";
    }

    void operator()(const Polyline& line) const {
        if (line.points.empty()) return;
        svg += R"(<polyline points=")";
        for (const auto& [x, y] : line.points) {
            if (svg.back() != '"') svg += ' ';
            svg += number(x) + "," + number(y);
        }
        svg += fmt::format(R"(" fill="none" stroke="{}" stroke-width="{}")", to_hex(line.color),
                           number(line.width));
        if (!line.dashes.empty()) {
            svg += R"( stroke-dasharray=")";
            for (const int length : line.dashes) {
                if (svg.back() != '"') svg += ' ';
                svg += std::to_string(length);
            }
            svg += '"';
        }
        svg += "/>\n";
    }

    // One pixel a unit, because some viewers blur an image that they have to enlarge.
    void operator()(const Mosaic& mosaic) const {
        PixelImage image{static_cast<std::size_t>(std::lround(mosaic.width)),
                         static_cast<std::size_t>(std::lround(mosaic.height)),
                         {}};
        for (std::size_t y = 0; y < image.height; ++y) {
            for (std::size_t x = 0; x < image.width; ++x) {
                image.pixels.push_back(
                    mosaic.cells[y * mosaic.rows / image.height * mosaic.columns +
                                 x * mosaic.columns / image.width]);
            }
        }
        svg +=
            fmt::format(R"(<image x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="none" )"
                        R"(style="image-rendering:pixelated" href="data:image/png;base64,{}"/>)"
                        "\n",
                        number(mosaic.x), number(mosaic.y), number(mosaic.width),
                        number(mosaic.height), base64(encode_png(image)));
    }
};

}  // namespace

double text_length(const std::string& text, int size) {
    return 0.6 * size * static_cast<double>(display_width(visible_text(text)));
}

std::string to_svg(const Picture& picture) {
    const std::string width = number(picture.width);
    const std::string height = number(picture.height);
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
        R"(role="img" font-family="'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif" )"
        R"(font-size="12">)"
        "\n",
        width, height);
    svg += fmt::format("<title>{}</title>\n", escaped(picture.title));
    svg += fmt::format("<desc>{}</desc>\n", escaped(picture.description));
    svg += fmt::format(R"(<rect width="{}" height="{}" fill="#ffffff"/>)"
                       "\n",
                       width, height);
    for (const auto& shape : picture.shapes)
        std::visit(SvgWriter{svg}, shape);
    return svg + "</svg>\n";
}

}  // namespace bert
