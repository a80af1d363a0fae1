#include "common/attention_map/dump_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "common/attention_map/attention_meta.hpp"
#include "common/io/utf8.hpp"

namespace bert {

namespace {

using Kind = DumpFault::Kind;

[[noreturn]] void fail(Kind kind, std::string where, std::string what, std::string found,
                       std::string expected) {
    throw DumpFault{kind, std::move(where), std::move(what), std::move(found), std::move(expected)};
}

void check_shape(std::string_view what, const Shape& found, const Shape& expected) {
    if (found == expected) return;
    fail(Kind::shape, std::string{what}, "does not fit attentions", to_string(found),
         to_string(expected));
}

void check_count(std::string_view what, std::size_t found, std::size_t expected,
                 const Shape& attentions) {
    if (found == expected) return;
    fail(Kind::shape, std::string{what},
         "another count than attentions " + with_letters(attentions, "LBHTS"),
         std::to_string(found), std::to_string(expected));
}

void check_utf8(std::string_view what, const std::string& text) {
    if (utf8_to_code_points(text)) return;
    fail(Kind::argument, std::string{what}, "not UTF-8", "other bytes", "UTF-8");
}

void check_finite(std::string_view what, const Tensor& x) {
    if (x.size() == 0)
        fail(Kind::shape, std::string{what}, "empty", to_string(x.shape()), "a number or more");
    const auto bad = std::find_if(x.data(), x.data() + x.size(),
                                  [](Real value) { return !std::isfinite(value); });
    if (bad == x.data() + x.size()) return;
    fail(Kind::number, std::string{what}, fmt::format("number {}", bad - x.data()),
         fmt::format("{}", static_cast<double>(*bad)), "a finite number");
}

void check_tokens(std::string_view what, const std::vector<std::vector<std::string>>& tokens,
                  std::size_t count, const Shape& attentions) {
    check_count(fmt::format("sequences of {}", what), tokens.size(), attentions[1], attentions);
    for (const std::vector<std::string>& sequence : tokens) {
        check_count(what, sequence.size(), count, attentions);
        for (const std::string& token : sequence)
            check_utf8(what, token);
    }
}

// Arrays beside attentions: all but the last dimension are known.
void check_array(std::string_view what, const std::optional<Tensor>& x, Shape expected) {
    if (!x) return;
    if (x->rank() == expected.size() && expected.back() == 0) expected.back() = x->dim(-1);
    check_shape(what, x->shape(), expected);
    check_finite(what, *x);
}

void check_arrays(const AttentionDump& dump) {
    const Shape& shape = dump.attentions.shape();
    const Shape target{shape[0], shape[1], shape[2], shape[3], 0};
    const Shape source{shape[0], shape[1], shape[2], shape[4], 0};
    check_array("queries", dump.queries, target);
    check_array("keys", dump.keys, source);
    check_array("values", dump.values, source);
    check_array("value_norms", dump.value_norms, {shape[0], shape[1], shape[2], shape[4]});
    check_array("scores", dump.scores, shape);
    check_array("rollout", dump.rollout, {shape[1], shape[3], shape[4]});
    if (dump.queries && dump.keys && dump.queries->dim(-1) != dump.keys->dim(-1)) {
        fail(Kind::shape, "keys", "queries and keys differ in width", to_string(dump.keys->shape()),
             std::to_string(dump.queries->dim(-1)) + " columns");
    }
}

// What each known kind of token numbers may hold.
struct TokenNumbersRule {
    std::string_view name;
    std::int32_t least;
    std::int32_t greatest;
};

constexpr std::int32_t any_count = 0x7FFFFFFF;
constexpr TokenNumbersRule token_numbers_rules[] = {
    {"input_ids", 0, any_count},   {"token_type_ids", 0, any_count}, {"attention_mask", 0, 1},
    {"special_tokens_mask", 0, 1}, {"word_ids", -1, any_count},      {"offsets", 0, any_count}};

void check_rule(const TokenNumbersRule& rule, const TokenNumbers& numbers) {
    const std::string name{rule.name};
    const bool pairs = rule.name == "offsets";
    Shape expected{numbers.shape[0], numbers.shape[1]};
    if (pairs) expected.push_back(2);
    check_shape(name, numbers.shape, expected);
    for (std::size_t i = 0; i < numbers.values.size(); ++i) {
        const std::int32_t value = numbers.values[i];
        if (value < rule.least || value > rule.greatest) {
            fail(Kind::argument, name, fmt::format("number {} is out of range", i),
                 std::to_string(value), fmt::format("{} to {}", rule.least, rule.greatest));
        }
        if (pairs && i % 2 == 1 && value < numbers.values[i - 1]) {
            fail(Kind::argument, name, fmt::format("pair {} ends before it begins", i / 2),
                 std::to_string(value), fmt::format("{} or more", numbers.values[i - 1]));
        }
    }
}

void check_token_numbers(const AttentionDump& dump) {
    const Shape& shape = dump.attentions.shape();
    static const std::set<std::string> taken{
        "attentions", "layers",  "heads", "tokens", "meta",        "source_tokens",
        "scores",     "queries", "keys",  "values", "value_norms", "rollout"};
    for (const auto& [name, numbers] : dump.token_numbers) {
        if (taken.count(name) > 0) {
            fail(Kind::argument, "token_numbers", "numbers named " + name, name,
                 "a name that no other array has");
        }
        check_utf8("a name of token numbers", name);
        Shape expected = numbers.shape;
        expected.resize(std::max<std::size_t>(expected.size(), 2));
        expected[0] = shape[1];
        expected[1] = shape[3];
        check_shape(name, numbers.shape, expected);
        check_count("numbers in " + name, numbers.values.size(), element_count(expected), shape);
        for (const TokenNumbersRule& rule : token_numbers_rules) {
            if (rule.name == name) check_rule(rule, numbers);
        }
    }
}

void check_meta(const AttentionDump& dump) {
    const Shape& shape = dump.attentions.shape();
    check_utf8("title", dump.title);
    check_utf8("model", dump.model);
    check_utf8("text", dump.text);
    check_utf8("second text", dump.second_text.value_or(""));
    for (const auto& [kind, token] : dump.special_tokens) {
        check_utf8("a kind of special token", kind);
        check_utf8("special token " + kind, token);
    }
    for (const auto& [where, text] :
         {std::pair{"model_config", &dump.model_config}, {"prediction", &dump.prediction}}) {
        const std::string fault = json_object_fault(*text);
        if (!text->empty() && !fault.empty())
            fail(Kind::argument, where, "not a JSON object", fault, "a JSON object");
    }
    const std::string& sum = dump.weights_sha256;
    if (!sum.empty() &&
        (sum.size() != 64 || sum.find_first_not_of("0123456789abcdef") != std::string::npos)) {
        fail(Kind::argument, "weights_sha256", "not a SHA-256",
             fmt::format("{} characters", sum.size()), "64 hexadecimal digits in lower case");
    }
    if (dump.sentence_b_start.empty()) return;
    check_count("sentence_b_start", dump.sentence_b_start.size(), shape[1], shape);
    for (const std::optional<std::int32_t>& start : dump.sentence_b_start) {
        if (start && (*start < 0 || static_cast<std::size_t>(*start) > shape[3])) {
            fail(Kind::argument, "sentence_b_start", "no such token", std::to_string(*start),
                 fmt::format("0 to {}", shape[3]));
        }
    }
}

[[noreturn]] void fail_row(const Shape& shape, std::size_t row, std::string what, std::string found,
                           std::string expected) {
    const std::size_t t = row % shape[3];
    const std::size_t h = row / shape[3] % shape[2];
    const std::size_t b = row / shape[3] / shape[2] % shape[1];
    const std::size_t l = row / shape[3] / shape[2] / shape[1];
    fail(Kind::number, fmt::format("attentions({}, {}, {}, {}, :)", l, b, h, t), std::move(what),
         std::move(found), std::move(expected));
}

// For each source of each sequence, whether it is padding; empty when nothing says so.
std::vector<std::int32_t> visible_sources(const AttentionDump& dump) {
    const auto found = dump.token_numbers.find("attention_mask");
    if (found == dump.token_numbers.end() || !dump.source_tokens.empty()) return {};
    return found->second.values;
}

void check_weights(const AttentionDump& dump, double sum_tolerance) {
    const Shape& shape = dump.attentions.shape();
    const std::size_t sources = shape[4];
    const bool causal = dump.mask == AttentionMask::causal && shape[3] == sources;
    const std::vector<std::int32_t> visible = visible_sources(dump);
    for (std::size_t r = 0; r < dump.attentions.num_rows(); ++r) {
        const std::size_t b = r / shape[3] / shape[2] % shape[1];
        double total = 0.0;
        std::size_t s = 0;
        for (const Real weight : dump.attentions.row(r)) {
            const auto w = static_cast<double>(weight);
            if (!(w >= 0.0 && w <= 1.0))
                fail_row(shape, r, "a weight is out of range", fmt::format("{}", w), "0 to 1");
            if (causal && s > r % shape[3] && w != 0.0) {
                fail_row(shape, r, "looks at a source behind its target under a causal mask",
                         fmt::format("{:.6g} for source {}", w, s), "0");
            }
            if (w != 0.0 && !visible.empty() && visible[b * sources + s] == 0) {
                fail_row(shape, r, "looks at padding", fmt::format("{:.6g} for source {}", w, s),
                         "0");
            }
            total += w;
            ++s;
        }
        const bool masked = dump.mask != AttentionMask::none && total == 0.0;
        if (!masked && std::abs(total - 1.0) > sum_tolerance)
            fail_row(shape, r, "another sum of weights", fmt::format("{:.6g}", total), "1");
    }
}

void check_dump(const AttentionDump& dump, double sum_tolerance) {
    const Shape& shape = dump.attentions.shape();
    if (shape.size() != 5) {
        fail(Kind::shape, "attentions", "another shape", to_string(shape),
             "(layer, batch, head, target, source)");
    }
    if (dump.attentions.size() == 0)
        fail(Kind::shape, "attentions", "empty", to_string(shape), "a weight or more");
    check_count("layers", dump.layers.size(), shape[0], shape);
    check_count("heads", dump.heads.size(), shape[2], shape);
    check_tokens("tokens", dump.tokens, shape[3], shape);
    check_tokens(dump.source_tokens.empty() ? "tokens" : "source tokens", source_tokens_of(dump),
                 shape[4], shape);
    check_token_numbers(dump);
    check_meta(dump);
    check_arrays(dump);
    check_weights(dump, sum_tolerance);
}

}  // namespace

std::optional<DumpFault> find_fault(const AttentionDump& dump, double sum_tolerance) {
    try {
        check_dump(dump, sum_tolerance);
    } catch (const DumpFault& fault) {
        return fault;
    }
    return {};
}

}  // namespace bert
