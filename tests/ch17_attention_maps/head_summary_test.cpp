#include "ch17_attention_maps/head_summary.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ch17_attention_maps/examples.hpp"
#include "ch17_attention_maps/head_kind.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr TokenRole word = TokenRole::word;
constexpr TokenRole cls = TokenRole::cls;
constexpr TokenRole sep = TokenRole::sep;
constexpr TokenRole padding = TokenRole::padding;

std::vector<double> numbers_of(const HeadSummary& head) {
    return {head.entropy, head.largest_entropy, head.distance, head.cls, head.sep,
            head.self,    head.previous,        head.next};
}

void check_numbers(const HeadSummary& head, const std::vector<double>& expected) {
    const std::vector<double> found = numbers_of(head);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("number " << i);
        CHECK_THAT(found[i], WithinAbs(expected[i], 1e-15));  // largest error seen: 2.2e-16
    }
}

// The tokens of the golden file: 7, 5 and 6 that are no padding.
MapTokens golden_tokens(bool causal) {
    return {{{cls, word, word, word, word, word, sep},
             {cls, word, sep, word, sep, padding, padding},
             {cls, word, word, word, word, word, padding}},
            causal};
}

void check_golden(const std::string& maps, const std::string& name, bool causal) {
    const auto expected = golden("attention_maps");
    const std::vector<HeadSummary> heads = head_summary(expected.at(maps), golden_tokens(causal));
    REQUIRE(heads.size() == 12);
    Tensor found(Shape{3, 4, 8});
    for (std::size_t i = 0; i < heads.size(); ++i) {
        CHECK(heads[i].layer == static_cast<std::int32_t>(i / 4));
        CHECK(heads[i].head == static_cast<std::int32_t>(i % 4));
        const std::vector<double> numbers = numbers_of(heads[i]);
        for (std::size_t n = 0; n < 8; ++n)
            found.mutable_row(i)[n] = static_cast<Real>(numbers[n]);
    }
    // Largest errors seen: 0 (float, which rounds sums made in double; one on the border may fall
    // to the other side), 2.2e-16 (double).
    check_close(name, found, expected.at(name), by_precision(2.4e-7, 9e-16));
}

}  // namespace

TEST_CASE("entropy: worked by hand", "[ch17]") {
    const auto of = [](const Tensor& weights) { return entropy(weights.values()); };
    CHECK(of(Tensor{1, 0, 0}) == 0.0);
    CHECK(of(Tensor{0, 0}) == 0.0);
    CHECK_THAT(of(Tensor{0.5, 0.5}), WithinAbs(std::log(2.0), 1e-15));
    CHECK_THAT(of(Tensor{0.25, 0.25, 0.25, 0.25}), WithinAbs(std::log(4.0), 1e-15));
    // 1/2 ln 2 + 2 (1/4 ln 4) = 3/2 ln 2
    CHECK_THAT(of(Tensor{0.25, 0.5, 0.25}), WithinAbs(1.5 * std::log(2.0), 1e-15));
}

TEST_CASE("head_summary: two heads worked by hand", "[ch17]") {
    const std::vector<HeadSummary> heads = head_summary(quarter_maps());
    REQUIRE(heads.size() == 2);
    const double ln4 = std::log(4.0);
    // Layer 0, each token to the one before and the first to itself: weight 1
    // four times. On [CLS] are queries 0 and 1, on [SEP] none.
    check_numbers(heads[0], {0, ln4, 3.0 / 4, 2.0 / 4, 0, 1.0 / 4, 3.0 / 4, 0});
    // Layer 1: entropies ln 4, ln 4, ln 2, 0. Distances (0+1+2+3)/4, (1+0+1+2)/4,
    // (2+1)/2, 0. [CLS] 1/4, 1/4, 1/2, 0; [SEP] 1/4, 1/4, 1/2, 1; self 1/4, 1/4,
    // 0, 1; previous -, 1/4, 0, 0; next 1/4, 1/4, 1/2, -.
    check_numbers(heads[1], {2.5 * std::log(2.0) * 2 / 4, ln4, (1.5 + 1 + 1.5) / 4, 1.0 / 4,
                             2.0 / 4, 1.5 / 4, 0.25 / 4, 1.0 / 4});
    CHECK(heads[0].layer == 0);
    CHECK(heads[1].layer == 1);
}

TEST_CASE("head_summary: equals numpy with padding and several separators", "[ch17]") {
    check_golden("attentions", "summary", false);
}

TEST_CASE("head_summary: equals numpy under a causal mask", "[ch17]") {
    check_golden("causal_attentions", "causal_summary", true);
}

TEST_CASE("head_summary: uniform weights have the largest entropy and mean distance", "[ch17]") {
    for (const std::size_t length : {1U, 2U, 5U, 16U}) {
        const auto n = static_cast<double>(length);
        const Tensor maps(Shape{1, 1, 1, length, length},
                          std::vector<Real>(length * length, static_cast<Real>(1 / n)));
        const HeadSummary head =
            head_summary(maps, {{std::vector<TokenRole>(length, word)}, false})[0];
        // Largest error seen: 7e-8 (float), 1.3e-15 (double); the mean of |t - s|
        // is (n^2 - 1)/3n.
        const double tolerance = by_precision(3e-7, 6e-15);
        CHECK_THAT(head.entropy, WithinAbs(std::log(n), tolerance));
        CHECK_THAT(head.largest_entropy, WithinAbs(std::log(n), 1e-15));
        CHECK_THAT(head.distance, WithinAbs((n * n - 1) / (3 * n), tolerance));
        CHECK_THAT(head.self, WithinAbs(1 / n, tolerance));
        CHECK_THAT(head.next, WithinAbs((n - 1) / (n * n), tolerance));
    }
}

TEST_CASE("head_summary: padding changes nothing", "[ch17]") {
    // The same two tokens alone, and followed by one of padding whose row is full of weight.
    const Tensor alone(Shape{1, 1, 1, 2, 2}, {0.75, 0.25, 0.5, 0.5});
    const Tensor padded(Shape{1, 1, 1, 3, 3}, {0.75, 0.25, 0, 0.5, 0.5, 0, 0.5, 0.5, 0});
    const HeadSummary a = head_summary(alone, {{{cls, sep}}, false})[0];
    const HeadSummary b = head_summary(padded, {{{cls, sep, padding}}, false})[0];
    CHECK(numbers_of(a) == numbers_of(b));
}

TEST_CASE("head_summary: every query counts once whatever its sequence", "[ch17]") {
    // Three queries look at themselves, one at another: 3/4 and not (1 + 1/2)/2
    // ... of sequences.
    const Tensor maps(Shape{1, 2, 1, 3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1,  //
                                             0, 1, 0, 0, 1, 0, 0, 1, 0});
    const MapTokens tokens{{{word, word, word}, {word, padding, padding}}, false};
    CHECK_THAT(head_summary(maps, tokens)[0].self, WithinAbs(0.75, 1e-15));
}

TEST_CASE("head_summary: a dump keeps its numbers of layers and heads", "[ch17]") {
    AttentionDump dump = quarter_maps();
    dump.layers = {4, 7};
    dump.heads = {9};
    const std::vector<HeadSummary> heads = head_summary(dump);
    CHECK(heads[0].layer == 4);
    CHECK(heads[1].layer == 7);
    CHECK(heads[1].head == 9);
    // Read by name: with other special tokens nothing is [CLS].
    dump.special_tokens = {{"sep", "bark"}};
    CHECK(head_summary(dump)[0].cls == 0.0);
    CHECK(head_summary(dump)[0].sep == 0.25);
    dump.special_tokens.clear();
    CHECK(head_summary(dump)[0].cls == 0.5);
}

TEST_CASE("map_tokens: padding by attention_mask and the mask of the future", "[ch17]") {
    AttentionDump dump = quarter_maps();
    dump.attentions =
        Tensor(Shape{1, 1, 1, 4, 4}, {1, 0, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    dump.layers = {0};
    dump.mask = AttentionMask::causal;
    dump.token_numbers["attention_mask"] = {{1, 4}, {1, 1, 0, 0}};
    const MapTokens tokens = map_tokens(dump);
    CHECK(tokens.roles[0] == std::vector<TokenRole>{cls, word, padding, padding});
    CHECK(tokens.causal);
    const HeadSummary head = head_summary(dump)[0];
    CHECK_THAT(head.largest_entropy, WithinAbs(std::log(2.0) / 2, 1e-15));  // ln 1 and ln 2
    CHECK_THAT(head.self, WithinAbs(0.75, 1e-15));
}

TEST_CASE("head_summary: maps that do not fit are refused", "[ch17]") {
    const MapTokens two{{{word, word}}, false};
    const auto refused = [&](const Shape& shape, const MapTokens& tokens) {
        CHECK_THROWS_AS(head_summary(Tensor(shape), tokens), ShapeError);
    };
    refused({1, 1, 2, 2}, two);
    refused({1, 1, 1, 2, 3}, two);
    refused({1, 1, 1, 3, 3}, two);
    refused({1, 2, 1, 2, 2}, two);
    refused({0, 1, 1, 2, 2}, two);
    CHECK_THROWS_WITH(
        head_summary(Tensor(Shape{1, 2, 1, 2, 2}), two),
        ContainsSubstring("the roles of 1 sequences do not fit attentions (L=1, B=2"));
    CHECK_THROWS_AS(head_summary(Tensor(Shape{1, 1, 1, 2, 2}), {{{padding, padding}}, false}),
                    std::invalid_argument);
    AttentionDump dump = quarter_maps();
    dump.attentions = Tensor(Shape{1, 1, 1, 1, 2}, {0.5, 0.5});
    dump.layers = {0};
    dump.tokens = {{"t"}};
    dump.source_tokens = {{"a", "b"}};
    CHECK_THROWS_WITH(head_summary(dump), ContainsSubstring("no self-attention"));
    dump.attentions(0, 0, 0, 0, 0) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(head_summary(dump), NumericError);
}

TEST_CASE("kind_of: the borders", "[ch17]") {
    const auto kind = [](auto change) {
        HeadSummary head;
        head.entropy = 1.0;
        head.largest_entropy = 2.0;
        change(head);
        return std::string{name_of(kind_of(head))};
    };
    CHECK(kind([](HeadSummary&) {}) == "-");
    CHECK(kind([](HeadSummary& h) { h.previous = 0.5; }) == "previous");
    CHECK(kind([](HeadSummary& h) { h.previous = 0.499; }) == "-");
    CHECK(kind([](HeadSummary& h) { h.next = 0.5; }) == "next");
    CHECK(kind([](HeadSummary& h) { h.self = 0.75; }) == "self");
    CHECK(kind([](HeadSummary& h) { h.cls = h.sep = 0.25; }) == "delimiter");
    CHECK(kind([](HeadSummary& h) { h.entropy = 1.6; }) == "broad");
    CHECK(kind([](HeadSummary& h) { h.entropy = 1.59; }) == "-");
    CHECK(kind([](HeadSummary& h) { h.previous = h.next = 0.5; }) == "previous");
    CHECK(kind([](HeadSummary& h) {
              h.entropy = 2.0;
              h.self = 0.6;
          }) == "self");
}

TEST_CASE("summary_table: a line a head", "[ch17]") {
    CHECK(summary_table(head_summary(quarter_maps())) ==
          "layer head  entropy  (most)  distance   cls   sep  self  prev  next  "
          "looks like\n"
          "    0    0     0.00    1.39      0.75  0.50  0.00  0.25  0.75  0.00  "
          "previous\n"
          "    1    0     0.87    1.39      1.00  0.25  0.50  0.38  0.06  0.25  "
          "delimiter\n");
}
