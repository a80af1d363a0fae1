#include "ch17_attention_maps/selection.hpp"

#include <string>
#include <vector>

#include "ch17_attention_maps/record.hpp"
#include "common/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;

namespace {

using Numbers = std::vector<std::int32_t>;

// Every weight tells where it was: all on source (2 l + h) mod 3 of 3.
AttentionDump numbered_dump() {
    AttentionDump dump;
    dump.attentions = Tensor(Shape{4, 1, 2, 1, 3});
    for (std::size_t i = 0; i < 8; ++i)
        dump.attentions.mutable_row(i)[i % 3] = 1;
    dump.layers = {0, 1, 2, 3};
    dump.heads = {0, 1};
    dump.tokens = {{"t"}};
    dump.source_tokens = {{"a", "b", "c"}};
    dump.scores = dump.attentions;
    dump.value_norms = Tensor(Shape{4, 1, 2, 3}, std::vector<Real>(24, 1));
    return dump;
}

}  // namespace

TEST_CASE("parse_selection: numbers and ranges in the order typed", "[ch17]") {
    const Numbers there{0, 1, 2, 3, 4, 5};
    CHECK(parse_selection("--layers", "", there) == there);
    CHECK(parse_selection("--layers", "0,3", there) == Numbers{0, 3});
    CHECK(parse_selection("--layers", "0-5", there) == there);
    CHECK(parse_selection("--layers", "4,0-2", there) == Numbers{4, 0, 1, 2});
    CHECK(parse_selection("--layers", "3-3", there) == Numbers{3});
    CHECK(parse_selection("--layers", "9", {7, 9}) == Numbers{9});
}

TEST_CASE("parse_selection: what makes no sense is refused", "[ch17]") {
    const Numbers there{0, 1, 2, 3};
    const auto refused = [&](const std::string& text, const std::string& message) {
        INFO(text);
        CHECK_THROWS_AS(parse_selection("--heads", text, there), UsageError);
        CHECK_THROWS_WITH(parse_selection("--heads", text, there), ContainsSubstring(message));
    };
    refused("4", "--heads: found '4', expected 0, 1, 2, 3");
    refused("0-4", "found '0-4', expected 0, 1, 2, 3");
    for (const char* text : {"x", ",", "1,", ",1", "1,,2", " 1", "1 ", "-1", "1-", "1--2", "1-2-3",
                             "+1", "1.0", "99999999999", "0x1"})
        refused(text, "expected numbers and ranges, such as 0,3 or 0-5");
    refused("2-1", "found '2-1', expected the smaller number first");
    refused("1,1", "expected 1 once");
    refused("0-2,1", "expected 1 once");
    refused("\x1b[31m", "found '\\x1b[31m'");
    CHECK_THROWS_WITH(parse_selection("--heads", "0-9", {0, 9}),
                      ContainsSubstring("found '1', expected 0, 9"));
    Numbers many(100);
    for (std::int32_t i = 0; i < 100; ++i)
        many[static_cast<std::size_t>(i)] = i;
    CHECK_THROWS_WITH(parse_selection("--heads", "100", many), ContainsSubstring("15, ..."));
}

TEST_CASE("select_maps: keeps the numbers that heads have in the model", "[ch17]") {
    const AttentionDump dump = numbered_dump();
    const AttentionDump some = select_maps(dump, {3, 1}, {1});
    CHECK_NOTHROW(validate(some));
    CHECK(some.layers == Numbers{3, 1});
    CHECK(some.heads == Numbers{1});
    CHECK(some.attentions.shape() == Shape{2, 1, 1, 1, 3});
    CHECK(some.attentions(0, 0, 0, 0, (2 * 3 + 1) % 3) == 1);
    CHECK(some.attentions(1, 0, 0, 0, (2 * 1 + 1) % 3) == 1);
    CHECK(*some.scores == some.attentions);
    CHECK(some.value_norms->shape() == Shape{2, 1, 1, 3});
    // A part of a part still knows them.
    CHECK(select_maps(some, {1}, {1}).layers == Numbers{1});
    CHECK_THROWS_WITH(select_maps(some, {0}, {1}),
                      ContainsSubstring("no layer or head 0 (found 3, 1)"));
    CHECK_THROWS_AS(select_maps(dump, {0}, {2}), std::invalid_argument);
    CHECK_THROWS_AS(select_maps(dump, {}, {0}), std::invalid_argument);
    CHECK_THROWS_AS(select_maps(dump, {0}, {}), std::invalid_argument);
    AttentionDump wrong = dump;
    wrong.attentions(3, 0, 1, 0, 0) = Real{0.5};
    CHECK_THROWS_AS(select_maps(wrong, {0}, {0}), NumericError);
}

TEST_CASE("dump_of: recorded layers under each other", "[ch17]") {
    std::vector<Tensor> layers;
    layers.push_back(Tensor(Shape{1, 2, 1, 1}, {1, 1}));
    layers.push_back(Tensor(Shape{1, 2, 1, 1}, {1, 1}));
    const AttentionDump dump = dump_of(layers, {{"t"}});
    CHECK_NOTHROW(validate(dump));
    CHECK(dump.attentions.shape() == Shape{2, 1, 2, 1, 1});
    CHECK(dump.layers == Numbers{0, 1});
    CHECK(dump.heads == Numbers{0, 1});
    layers[0] = Tensor(Shape{1, 1, 1, 2}, {0.25, 0.75});
    layers[1] = Tensor(Shape{1, 1, 1, 2}, {0.5, 0.5});
    CHECK(stacked_maps(layers) == Tensor(Shape{2, 1, 1, 1, 2}, {0.25, 0.75, 0.5, 0.5}));
    layers.push_back(Tensor(Shape{1, 2, 1, 2}));
    CHECK_THROWS_AS(stacked_maps(layers), ShapeError);
    layers = {Tensor(Shape{2, 1, 1})};
    CHECK_THROWS_WITH(stacked_maps(layers), ContainsSubstring("a layer's weights (2, 1, 1)"));
    CHECK_THROWS_AS(stacked_maps({}), ShapeError);
}
