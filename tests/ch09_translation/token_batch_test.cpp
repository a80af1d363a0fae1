#include "ch09_translation/token_batch.hpp"

#include <cstddef>

#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("pad_sentences: sentences end in padding and the mask says where", "[ch09]") {
    const TokenBatch batch = pad_sentences({{5, 6, 2}, {7, 2}, {2}});
    CHECK(batch.size == 3);
    CHECK(batch.length == 3);
    CHECK(batch.ids == TokenIds{5, 6, 2, 7, 2, 0, 2, 0, 0});
    CHECK(max_error(batch.attention_mask, Tensor{Shape{3, 3}, {1, 1, 1, 1, 1, 0, 1, 0, 0}}) == 0.0);
}

TEST_CASE("make_training_batch: the decoder reads what it has to say one place later", "[ch09]") {
    // je suis etudiant <end>; il dort <end>
    const TrainingBatch batch =
        make_training_batch({{{3, 4, 5, 2}, {6, 7, 8, 9}}, {{10, 11, 2}, {12}}});
    CHECK(batch.source.size == 2);
    CHECK(batch.source.length == 4);
    CHECK(batch.source.ids == TokenIds{3, 4, 5, 2, 10, 11, 2, 0});
    CHECK(batch.input.length == 5);
    CHECK(batch.input.ids == TokenIds{1, 6, 7, 8, 9, 1, 12, 0, 0, 0});
    CHECK(batch.labels == TokenIds{6, 7, 8, 9, 2, 12, 2, 0, 0, 0});
    CHECK(max_error(batch.input.attention_mask,
                    Tensor{Shape{2, 5}, {1, 1, 1, 1, 1, 1, 1, 0, 0, 0}}) == 0.0);
}

TEST_CASE("make_training_batch: of a target without words the end is asked", "[ch09]") {
    const TrainingBatch batch = make_training_batch({{{3, 2}, {}}});
    CHECK(batch.input.ids == TokenIds{start_id});
    CHECK(batch.labels == TokenIds{end_id});
}

TEST_CASE("pad_sentences: nothing to pad is refused", "[ch09]") {
    CHECK_THROWS_AS(pad_sentences({}), ShapeError);
    CHECK_THROWS_WITH(pad_sentences({}), "pad_sentences: no sentences");
    CHECK_THROWS_AS(pad_sentences({{3, 2}, {}}), ShapeError);
    CHECK_THROWS_WITH(pad_sentences({{3, 2}, {}}), "pad_sentences: sentence 1 has no tokens");
    CHECK_THROWS_AS(make_training_batch({}), ShapeError);
    CHECK_THROWS_AS(make_training_batch({{{}, {3}}}), ShapeError);
}
