#include "common/attention_map/attention_dump.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string_view>

#include "common/io/utf8.hpp"

namespace bert {

namespace {

void require_shape(std::string_view what, const Shape& found, const Shape& expected) {
    if (found == expected) return;
    throw ShapeError{fmt::format("attention dump: {} {} does not fit (expected {})", what,
                                 to_string(found), to_string(expected))};
}

void require_count(std::string_view what, std::size_t found, std::size_t expected,
                   const Shape& attentions) {
    if (found == expected) return;
    throw ShapeError{fmt::format("attention dump: {} {} for attentions {} (expected {})", found,
                                 what, with_letters(attentions, "LBHTS"), expected)};
}

void require_utf8(std::string_view what, const std::string& text) {
    if (utf8_to_code_points(text)) return;
    throw std::invalid_argument{fmt::format("attention dump: {} is not UTF-8", what)};
}

void require_tokens(std::string_view what, const std::vector<std::vector<std::string>>& tokens,
                    std::size_t count, const Shape& attentions) {
    require_count(fmt::format("sequences of {}", what), tokens.size(), attentions[1], attentions);
    for (const std::vector<std::string>& sequence : tokens) {
        require_count(what, sequence.size(), count, attentions);
        for (const std::string& token : sequence)
            require_utf8("a token", token);
    }
}

// Arrays beside attentions: all but the last dimension are known.
void require_array(std::string_view what, const std::optional<Tensor>& x, Shape expected) {
    if (!x) return;
    if (x->rank() == expected.size()) expected.back() = x->dim(-1);
    require_shape(what, x->shape(), expected);
    require_not_empty(what, *x);
    require_finite(what, *x);
}

void require_arrays(const AttentionDump& dump) {
    const Shape& shape = dump.attentions.shape();
    const Shape target{shape[0], shape[1], shape[2], shape[3], 0};
    const Shape source{shape[0], shape[1], shape[2], shape[4], 0};
    require_array("queries", dump.queries, target);
    require_array("keys", dump.keys, source);
    require_array("values", dump.values, source);
    if (dump.queries && dump.keys && dump.queries->dim(-1) != dump.keys->dim(-1)) {
        throw ShapeError{fmt::format("attention dump: queries {} and keys {} differ in width",
                                     to_string(dump.queries->shape()),
                                     to_string(dump.keys->shape()))};
    }
    if (dump.scores) {
        require_shape("scores", dump.scores->shape(), shape);
        require_finite("scores", *dump.scores);
    }
    static const std::set<std::string> taken{"attentions", "layers",        "heads",  "tokens",
                                             "meta",       "source_tokens", "scores", "queries",
                                             "keys",       "values"};
    for (const auto& [name, numbers] : dump.token_numbers) {
        if (taken.count(name) > 0) {
            throw std::invalid_argument{"attention dump: token numbers named " + name};
        }
        require_utf8("a name of token numbers", name);
        Shape expected = numbers.shape;
        expected.resize(std::max<std::size_t>(expected.size(), 2));
        expected[0] = shape[1];
        expected[1] = shape[3];
        require_shape(name, numbers.shape, expected);
        require_count("numbers in " + name, numbers.values.size(), element_count(expected), shape);
    }
}

[[noreturn]] void throw_bad_row(const Shape& shape, std::size_t row, const std::string& what) {
    const std::size_t t = row % shape[3];
    const std::size_t h = row / shape[3] % shape[2];
    const std::size_t b = row / shape[3] / shape[2] % shape[1];
    const std::size_t l = row / shape[3] / shape[2] / shape[1];
    throw NumericError{
        fmt::format("attention dump: attentions({}, {}, {}, {}, :) {}", l, b, h, t, what)};
}

void require_weights(const AttentionDump& dump) {
    constexpr double tolerance = 1e-5;
    const Shape& shape = dump.attentions.shape();
    const bool causal = dump.mask == AttentionMask::causal && shape[3] == shape[4];
    for (std::size_t r = 0; r < dump.attentions.num_rows(); ++r) {
        double total = 0.0;
        std::size_t s = 0;
        for (const Real weight : dump.attentions.row(r)) {
            const auto w = static_cast<double>(weight);
            if (!(w >= 0.0 && w <= 1.0)) {
                throw_bad_row(shape, r, fmt::format("has the weight {} (expected 0 to 1)", w));
            }
            if (causal && s > r % shape[3] && w != 0.0) {
                throw_bad_row(shape, r, "looks at a source behind its target under a causal mask");
            }
            total += w;
            ++s;
        }
        const bool masked = dump.mask != AttentionMask::none && total == 0.0;
        if (!masked && std::abs(total - 1.0) > tolerance) {
            throw_bad_row(shape, r, fmt::format("has the sum {:.6g} (expected 1)", total));
        }
    }
}

}  // namespace

const std::vector<std::vector<std::string>>& source_tokens_of(const AttentionDump& dump) {
    return dump.source_tokens.empty() ? dump.tokens : dump.source_tokens;
}

void validate(const AttentionDump& dump) {
    const Shape& shape = dump.attentions.shape();
    if (shape.size() != 5) {
        throw ShapeError{"attention dump: attentions " + to_string(shape) +
                         " is not (layer, batch, head, target, source)"};
    }
    require_not_empty("attention dump: attentions", dump.attentions);
    require_count("layers", dump.layers.size(), shape[0], shape);
    require_count("heads", dump.heads.size(), shape[2], shape);
    require_tokens("tokens", dump.tokens, shape[3], shape);
    require_tokens("source tokens", source_tokens_of(dump), shape[4], shape);
    require_utf8("the title", dump.title);
    require_utf8("the model", dump.model);
    require_utf8("the text", dump.text);
    require_utf8("the second text", dump.second_text.value_or(""));
    require_arrays(dump);
    require_weights(dump);
}

Heatmap attention_heatmap(const AttentionDump& dump, std::size_t layer, std::size_t sequence,
                          std::size_t head) {
    validate(dump);
    const Shape& shape = dump.attentions.shape();
    if (layer >= shape[0] || sequence >= shape[1] || head >= shape[2]) {
        throw ShapeError{fmt::format("attention_heatmap: no layer {}, sequence {}, head {} in {}",
                                     layer, sequence, head, with_letters(shape, "LBHTS"))};
    }
    Heatmap heatmap;
    const std::size_t size = shape[3] * shape[4];
    const Real* first =
        dump.attentions.data() + ((layer * shape[1] + sequence) * shape[2] + head) * size;
    heatmap.values = Tensor(Shape{shape[3], shape[4]}, std::vector<Real>(first, first + size));
    const auto greatest = static_cast<double>(*std::max_element(first, first + size));
    heatmap.range = std::pair{0.0, greatest > 0.0 ? greatest : 1.0};
    heatmap.row_names = dump.tokens[sequence];
    heatmap.column_names = source_tokens_of(dump)[sequence];
    heatmap.title = fmt::format("{}{}layer {}, head {}", dump.title, dump.title.empty() ? "" : ": ",
                                dump.layers[layer], dump.heads[head]);
    heatmap.row_title = "query";
    heatmap.column_title = "key";
    return heatmap;
}

}  // namespace bert
