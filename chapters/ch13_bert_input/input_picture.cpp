#include "ch13_bert_input/input_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "common/plot/colormap.hpp"
#include "common/plot/visible_text.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/gather.hpp"
#include "common/tensor/print.hpp"

namespace bert {

namespace {

constexpr double margin = 16.0;
constexpr double names_width = 84.0;   // of what stands at the left
constexpr double column_width = 64.0;  // of a token
constexpr double row_height = 64.0;    // of a table's row: id, cells
constexpr double cell_height = 20.0;
constexpr double gap = 8.0;

// The rows of one table, or their sum.
struct Band {
    std::string name;
    std::string sign;                 // before it
    const Tensor* rows;               // (T, D)
    std::vector<std::string> labels;  // one a token
};

std::vector<std::string> labels_of(std::string_view letter, const std::vector<std::int64_t>& ids) {
    std::vector<std::string> labels;
    for (const std::int64_t id : ids)
        labels.push_back(fmt::format("{} {}", letter, id));
    return labels;
}

std::vector<Band> bands_of(const InputParts& parts) {
    std::vector<std::int64_t> positions;
    for (std::size_t t = 0; t < parts.tokens.size(); ++t)
        positions.push_back(static_cast<std::int64_t>(t));
    return {{"token", "", &parts.word, labels_of("row", parts.input_ids)},
            {"type", "+", &parts.type, labels_of("row", parts.token_type_ids)},
            {"position", "+", &parts.position, labels_of("row", positions)},
            {"sum", "=", &parts.sum, {}}};
}

std::pair<double, double> range_of(const std::vector<Band>& bands) {
    std::pair<double, double> range{0.0, 0.0};
    for (const Band& band : bands) {
        for (const Real x : band.rows->values()) {
            range.first = std::min(range.first, static_cast<double>(x));
            range.second = std::max(range.second, static_cast<double>(x));
        }
    }
    return range;
}

// D cells side by side at (x, y), each with its number if there is room for it.
void draw_cells(Picture& picture, double x, double y, std::span<const Real> row,
                std::pair<double, double> range) {
    const double width = (column_width - gap) / static_cast<double>(row.size());
    const double spread = std::max(range.second - range.first, 1e-12);
    for (std::size_t d = 0; d < row.size(); ++d) {
        const double value = static_cast<double>(row[d]);
        const Color color = viridis((value - range.first) / spread);
        const double left = x + static_cast<double>(d) * width;
        picture.shapes.emplace_back(Box{left, y, width, cell_height, color, to_text(value, 4)});
        const std::string number = to_text(value, 0);
        if (text_length(number, 9) <= width + 1)
            picture.shapes.emplace_back(Label{left + width / 2, y + cell_height / 2, number,
                                              Anchor::middle, 9, 0, text_color_on(color)});
    }
}

void draw_band(Picture& picture, const Band& band, double y, std::pair<double, double> range) {
    const double middle = y + row_height / 2;
    picture.shapes.emplace_back(Label{margin, middle, band.sign, Anchor::start, 16});
    picture.shapes.emplace_back(Label{margin + 16, middle, band.name});
    for (std::size_t t = 0; t < band.rows->num_rows(); ++t) {
        const double x = margin + names_width + static_cast<double>(t) * column_width;
        if (!band.labels.empty())
            picture.shapes.emplace_back(
                Label{x + (column_width - gap) / 2, y + 14, band.labels[t], Anchor::middle, 11});
        draw_cells(picture, x, y + 24, band.rows->row(t), range);
    }
}

std::string numbers_of(std::span<const Real> row) {
    std::string text;
    for (const Real x : row)
        text += fmt::format("{:>3}", to_text(static_cast<double>(x), 0));
    return text;
}

}  // namespace

InputParts input_parts(const BertEmbeddings& layer, const BertInput& input,
                       const std::vector<std::string>& tokens) {
    layer.require_fit(input);
    if (input.batch != 1 || tokens.size() != input.length)
        throw ShapeError{"input_parts: B=" + std::to_string(input.batch) +
                         " examples of T=" + std::to_string(input.length) + " tokens with " +
                         std::to_string(tokens.size()) + " names (expected one example)"};
    std::vector<std::int64_t> positions;
    for (std::size_t t = 0; t < input.length; ++t)
        positions.push_back(static_cast<std::int64_t>(t));
    const Shape places{input.length};
    InputParts parts{tokens,
                     input.input_ids,
                     input.token_type_ids,
                     gather_rows(layer.word_embeddings, input.input_ids, places),
                     gather_rows(layer.token_type_embeddings, input.token_type_ids, places),
                     gather_rows(layer.positions.table, positions, places),
                     {}};
    parts.sum = parts.word + parts.type + parts.position;
    return parts;
}

Picture input_picture(const InputParts& parts) {
    const std::vector<Band> bands = bands_of(parts);
    const std::pair<double, double> range = range_of(bands);
    Picture picture;
    picture.width =
        2 * margin + names_width + static_cast<double>(parts.tokens.size()) * column_width;
    picture.height = 2 * margin + 24 + static_cast<double>(bands.size()) * row_height;
    picture.title = "What BERT reads";
    picture.description = "For each token the rows of three tables and their sum";
    for (std::size_t t = 0; t < parts.tokens.size(); ++t) {
        const double x = margin + names_width + static_cast<double>(t) * column_width;
        picture.shapes.emplace_back(Label{x + (column_width - gap) / 2, margin + 8,
                                          shortened(visible_text(parts.tokens[t]), 8, ".."),
                                          Anchor::middle, 12});
    }
    double y = margin + 24;
    for (const Band& band : bands) {
        draw_band(picture, band, y, range);
        y += row_height;
    }
    return picture;
}

std::string input_table(const InputParts& parts) {
    const std::size_t span = 3 * parts.word.dim(1) + 3;
    std::string text =
        fmt::format("{:>2}  {:<8}{:>3}{:>5}   {:<{}}{:<{}}{:<{}}{}\n", "t", "token", "id", "type",
                    "  token", span, "  type", span, "  position", span, "  sum");
    for (std::size_t t = 0; t < parts.tokens.size(); ++t) {
        text += fmt::format("{:>2}  {:<8}{:>3}{:>5}   {} +{} +{} ={}\n", t,
                            shortened(visible_text(parts.tokens[t]), 8, ".."), parts.input_ids[t],
                            parts.token_type_ids[t], numbers_of(parts.word.row(t)),
                            numbers_of(parts.type.row(t)), numbers_of(parts.position.row(t)),
                            numbers_of(parts.sum.row(t)));
    }
    return text;
}

}  // namespace bert
