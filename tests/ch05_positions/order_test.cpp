#include "ch05_positions/order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ch04_multi_head/multi_head.hpp"
#include "ch05_positions/sinusoidal.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Order = std::vector<std::size_t>;

// Rounding: largest errors seen 6.0e-7 (float), 1.4e-15 (double), at outputs near 2.
const double rounding = by_precision(2.4e-6, 6e-15);

Tensor attend_with_heads(const Tensor& x) {
    Random random{19};
    const MultiHeadAttention layer = random_multi_head(random, x.dim(1), 2, 0.5);
    const Tensor batch = x.reshaped({1, x.dim(0), x.dim(1)});
    return layer(batch, batch).output.reshaped(x.shape());
}

Tensor add_positions(const Tensor& x) {
    return x + sinusoidal_positions(x.dim(0), x.dim(1));
}

}  // namespace

TEST_CASE("N19: without positions reordered inputs give reordered outputs", "[ch05]") {
    Random random{1};
    const Tensor x = normal(random, {6, 8}, 0.0, 1.0);
    Order order(6);
    std::iota(order.begin(), order.end(), 0U);
    for (int trial = 0; trial < 20; ++trial) {
        random.shuffle(std::span{order});
        CHECK(order_sensitivity(attend_without_positions, x, order) <= rounding);
        CHECK(order_sensitivity(attend_with_heads, x, order) <= rounding);
    }
}

TEST_CASE("N19: with positions every reordering changes the outputs", "[ch05]") {
    const Tensor x = vectors_of({"dog", "bites", "man"});
    Order order{0, 1, 2};
    CHECK(order_sensitivity(attend_with_positions, x, order) == 0.0);
    while (std::next_permutation(order.begin(), order.end())) {
        CHECK(order_sensitivity(attend_without_positions, x, order) <= rounding);
        CHECK(order_sensitivity(attend_with_positions, x, order) > 0.5);  // least seen: 0.82
        const auto heads = [](const Tensor& words) {
            return attend_with_heads(add_positions(words));
        };
        CHECK(order_sensitivity(attend_with_heads, x, order) <= rounding);
        CHECK(order_sensitivity(heads, x, order) > 0.1);  // least seen: 0.21
    }
}

TEST_CASE("N19: dog bites man and man bites dog have one mean without positions", "[ch05]") {
    const Tensor sentence = vectors_of({"dog", "bites", "man"});
    const Tensor reversed = vectors_of({"man", "bites", "dog"});
    CHECK(permute_rows(sentence, {2, 1, 0}) == reversed);
    check_close("without", mean(attend_without_positions(sentence), 0),
                mean(attend_without_positions(reversed), 0), rounding);
    CHECK(max_error(mean(attend_with_positions(sentence), 0),
                    mean(attend_with_positions(reversed), 0)) > 0.05);
}

TEST_CASE("attend_without_positions: worked by hand", "[ch05]") {
    // Width 1, rows 0 and ln 3 / sqrt(ln 3): the second row scores itself ln 3, so 1/4 and 3/4.
    Tensor x(Shape{2, 1});
    const double root = std::sqrt(std::log(3.0));
    x(1, 0) = static_cast<Real>(root);
    const Tensor output = attend_without_positions(x);
    CHECK_THAT(output(0, 0), WithinAbs(root / 2, rounding));
    CHECK_THAT(output(1, 0), WithinAbs(root * 3 / 4, rounding));
}

TEST_CASE("attend_with_positions: is attention over the sum of vectors and positions", "[ch05]") {
    Random random{3};
    const Tensor x = normal(random, {5, 6}, 0.0, 1.0);
    CHECK(attend_with_positions(x) == attend_without_positions(add_positions(x)));
    // A word twice: without positions its two outputs are one.
    const Tensor twice = vectors_of({"dog", "bites", "dog"});
    const Tensor without = attend_without_positions(twice);
    const Tensor with = attend_with_positions(twice);
    for (std::size_t d = 0; d < 4; ++d)
        CHECK(without(0, d) == without(2, d));
    CHECK(std::abs(with(0, 0) - with(2, 0)) > Real{0.125});
}

TEST_CASE("order_sensitivity: measures what a layer makes of the order", "[ch05]") {
    const Tensor x{{1, 0}, {0, 2}, {5, 1}};
    const auto same = [](const Tensor& words) { return words; };
    CHECK(order_sensitivity(same, x, {1, 2, 0}) == 0.0);
    // Adds the row number: row t comes from row order[t], so it differs by t - order[t].
    const auto count = [](const Tensor& words) { return words + Tensor{{0, 0}, {1, 1}, {2, 2}}; };
    CHECK(order_sensitivity(count, x, {1, 0, 2}) == 1.0);
    CHECK(order_sensitivity(count, x, {1, 2, 0}) == 2.0);
    CHECK(order_sensitivity(count, x, {2, 0, 1}) == 2.0);  // differences -2, 1, 1
}

TEST_CASE("permute_rows: takes rows in this order", "[ch05]") {
    const Tensor x{{1, 2}, {3, 4}, {5, 6}};
    CHECK(permute_rows(x, {2, 0, 1}) == Tensor{{5, 6}, {1, 2}, {3, 4}});
    CHECK(permute_rows(permute_rows(x, {2, 0, 1}), {1, 2, 0}) == x);
}

TEST_CASE("permute_rows: what is no reordering is refused", "[ch05]") {
    const Tensor x{{1, 2}, {3, 4}, {5, 6}};
    CHECK_THROWS_AS(permute_rows(x, {0, 1}), ShapeError);
    CHECK_THROWS_AS(permute_rows(x.reshaped({3, 2, 1}), {0, 1, 2}), ShapeError);
    CHECK_THROWS_AS(permute_rows(Tensor{1, 2}, {0, 1}), ShapeError);
    CHECK_THROWS_WITH(permute_rows(x, {0, 1, 1}),
                      ContainsSubstring("order[2] is 1 (expected each of 0 to 2 once)"));
    CHECK_THROWS_AS(permute_rows(x, {0, 1, 1}), std::invalid_argument);
    CHECK_THROWS_WITH(permute_rows(x, {0, 3, 1}), ContainsSubstring("order[1] is 3"));
    CHECK_THROWS_WITH(permute_rows(x, {std::numeric_limits<std::size_t>::max(), 1, 2}),
                      ContainsSubstring("order[0] is 18446744073709551615"));
}

TEST_CASE("attend_with_positions: what attention or positions refuse is refused", "[ch05]") {
    Tensor broken{{1, 0}, {0, 1}};
    broken(1, 0) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(attend_without_positions(broken), NumericError);
    CHECK_THROWS_AS(attend_with_positions(broken), NumericError);
    CHECK_THROWS_AS(order_sensitivity(attend_with_positions, broken, {1, 0}), NumericError);
    CHECK_THROWS_AS(attend_with_positions(Tensor(Shape{2, 3})), ShapeError);
    CHECK_THROWS_AS(attend_with_positions(Tensor(Shape{0, 4})), ShapeError);
    CHECK_THROWS_AS(attend_with_positions(Tensor{1, 2}), ShapeError);
    CHECK_THROWS_WITH(attend_with_positions(Tensor(Shape{1, 2, 4})),
                      ContainsSubstring("x (1, 2, 4) is not (T, D)"));
}

TEST_CASE("vectors_of: one row for each word and no others", "[ch05]") {
    CHECK(vectors_of({"man", "dog", "bites", "man"}) ==
          Tensor{{1, 1, 1, 1}, {1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}});
    CHECK_THROWS_WITH(vectors_of({"dog", "cat"}), ContainsSubstring("found 'cat'"));
}
