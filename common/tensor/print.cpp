#include "common/tensor/print.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace bert {

namespace {

std::string right(std::string_view text, std::size_t width) {
    const std::size_t have = text_width(text);
    return std::string(width > have ? width - have : 0, ' ') + std::string{text};
}

// One matrix (rows, columns) that starts at `data`.
std::string matrix_table(const Real* data, std::size_t rows, std::size_t columns,
                         const TableFormat& format) {
    std::size_t name_width = 0;
    for (const std::string& name : format.row_names) {
        name_width = std::max(name_width, text_width(name));
    }
    std::size_t width = 0;
    for (const std::string& name : format.column_names)
        width = std::max(width, text_width(name));
    std::vector<std::string> cells(rows * columns);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i] = to_text(static_cast<double>(data[i]), format.decimals);
        width = std::max(width, cells[i].size());
    }
    const std::string margin(format.indent, ' ');
    std::string table;
    const auto add_line = [&](std::string_view name, auto cell_text) {
        std::string line = margin;
        if (name_width > 0) line += right(name, name_width) + "  ";
        for (std::size_t c = 0; c < columns; ++c) {
            if (c > 0) line += "  ";
            line += right(cell_text(c), width);
        }
        table += line + "\n";
    };
    if (!format.column_names.empty()) {
        add_line("", [&](std::size_t c) { return format.column_names[c]; });
    }
    for (std::size_t r = 0; r < rows; ++r) {
        const std::string_view no_name;
        add_line(format.row_names.empty() ? no_name : format.row_names[r],
                 [&](std::size_t c) { return cells[r * columns + c]; });
    }
    return table;
}

void require_names(const std::vector<std::string>& names, std::size_t count, std::string_view what,
                   const Shape& shape) {
    if (names.empty() || names.size() == count) return;
    throw ShapeError{
        fmt::format("to_table: {} {} names for shape {}", names.size(), what, to_string(shape))};
}

}  // namespace

std::string to_text(double x, int decimals) {
    if (std::isnan(x))  // its sign differs between processors
        return "nan";
    std::string text = fmt::format("{:.{}f}", x, decimals);
    if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
    return text;
}

std::size_t text_width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

std::string to_table(const Tensor& x, const TableFormat& format) {
    const std::size_t columns = x.rank() == 0 ? 1 : x.dim(-1);
    const std::size_t rows = x.rank() < 2 ? 1 : x.dim(-2);
    require_names(format.row_names, rows, "row", x.shape());
    require_names(format.column_names, columns, "column", x.shape());
    if (x.size() == 0)
        return std::string(format.indent, ' ') + "empty " + to_string(x.shape()) + "\n";
    if (x.rank() <= 2) return matrix_table(x.data(), rows, columns, format);
    std::string text;
    const Shape outer(x.shape().begin(), x.shape().end() - 2);
    for (std::size_t i = 0; i < element_count(outer); ++i) {
        Shape index(outer.size());
        for (std::size_t axis = outer.size(), rest = i; axis-- > 0; rest /= outer[axis]) {
            index[axis] = rest % outer[axis];
        }
        text += std::string(format.indent, ' ') + to_string(index) + "\n";
        text += matrix_table(x.data() + i * rows * columns, rows, columns, format);
    }
    return text;
}

}  // namespace bert
