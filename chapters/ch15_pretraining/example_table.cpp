#include "ch15_pretraining/example_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "common/cli/program.hpp"
#include "common/text/lenient_utf8.hpp"

namespace bert {

namespace {

constexpr std::array<std::string_view, 3> row_names = {"text ", "reads", "guess"};
constexpr std::size_t margin = 8;  // "A text  "

using Column = std::array<std::string, row_names.size()>;

std::size_t width_of(std::string_view text) {
    std::size_t characters = 0;
    for (; !text.empty(); ++characters)
        text.remove_prefix(first_character(text).bytes);
    return characters;
}

std::size_t width_of(const Column& column) {
    std::size_t width = 0;
    for (const std::string& cell : column)
        width = std::max(width, width_of(cell));
    return width;
}

std::vector<Column> columns_of(const PretrainingExample& example,
                               const WordPieceVocabulary& vocabulary) {
    std::vector<Column> columns;
    for (const TokenId token : example.tokens) {
        const std::string text = printable(vocabulary.token(token));
        columns.push_back({text, text, ""});
    }
    for (std::size_t i = 0; i < example.positions.size(); ++i) {
        Column& column = columns[example.positions[i]];
        column[1] = printable(vocabulary.token(example.replacements[i]));
        column[2] = column[0];
    }
    return columns;
}

// The rows of columns [begin, end), without one that says nothing.
std::string rows_of(const std::vector<Column>& columns, std::size_t begin, std::size_t end,
                    char segment) {
    std::string text;
    for (std::size_t row = 0; row < row_names.size(); ++row) {
        std::string line = fmt::format("{} {} ", row == 0 ? segment : ' ', row_names[row]);
        bool is_empty = true;
        for (std::size_t c = begin; c < end; ++c) {
            const std::string& cell = columns[c][row];
            is_empty = is_empty && cell.empty();
            line += ' ' + cell + std::string(width_of(columns[c]) - width_of(cell), ' ');
        }
        if (is_empty) continue;
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

}  // namespace

std::string example_table(const PretrainingExample& example, const WordPieceVocabulary& vocabulary,
                          std::size_t columns) {
    const std::vector<Column> all = columns_of(example, vocabulary);
    std::string text = fmt::format(
        "{} tokens, {} to guess; B {} (label {})\n", all.size(), example.positions.size(),
        example.is_random_next ? "is from another document" : "follows A",
        example.is_random_next ? random_next_label : is_next_label);
    for (std::size_t begin = 0; begin < all.size();) {
        const bool is_first = begin < example.first_length;
        const std::size_t stop = is_first ? example.first_length : all.size();
        std::size_t end = begin;
        for (std::size_t width = margin; end < stop; ++end) {
            width += 1 + width_of(all[end]);
            if (width > columns && end > begin) break;
        }
        text += rows_of(all, begin, end, is_first ? 'A' : 'B');
        begin = end;
    }
    return text;
}

}  // namespace bert
