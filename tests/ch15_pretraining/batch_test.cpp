#include <stdexcept>

#include "ch15_pretraining/pretraining_batch.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

PretrainingExample some_example() {
    return {.tokens = {2, 7, 8, 3, 9, 3},
            .first_length = 4,
            .is_random_next = true,
            .positions = {1, 4},
            .replacements = {4, 9}};
}

}  // namespace

TEST_CASE("make_pretraining_batch: pads and counts places through the whole batch", "[ch15]") {
    const std::vector<PretrainingExample> examples = {
        {.tokens = {2, 5, 3, 6, 3}, .first_length = 3, .positions = {3}, .replacements = {4}},
        some_example()};
    const PretrainingBatch batch = make_pretraining_batch(examples, 0);
    CHECK(batch.input.batch == 2);
    CHECK(batch.input.length == 6);
    CHECK(batch.input.input_ids == std::vector<std::int64_t>{2, 5, 3, 4, 3, 0, 2, 4, 8, 3, 9, 3});
    CHECK(batch.input.token_type_ids ==
          std::vector<std::int64_t>{0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1});
    CHECK(batch.input.attention_mask == Tensor(Shape{2, 6}, {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1}));
    CHECK(batch.places == std::vector<std::int64_t>{3, 7, 10});
    CHECK(batch.labels == std::vector<std::int64_t>{6, 7, 9});
    CHECK(batch.next_labels == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("make_pretraining_batch: refuses what does not fit", "[ch15]") {
    CHECK_THROWS(make_pretraining_batch({}, 0));
    PretrainingExample example = some_example();
    example.positions.back() = 6;
    CHECK_THROWS_AS(make_pretraining_batch({&example, 1}, 0), std::invalid_argument);
    example = some_example();
    example.replacements.pop_back();
    CHECK_THROWS_AS(make_pretraining_batch({&example, 1}, 0), std::invalid_argument);
    example = some_example();
    example.first_length = 7;
    CHECK_THROWS_AS(make_pretraining_batch({&example, 1}, 0), std::invalid_argument);
}
