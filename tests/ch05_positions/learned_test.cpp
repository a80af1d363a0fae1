#include "ch05_positions/learned.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include "common/random/random.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("N20: a table of N x 512 added to a batch of N x 512", "[ch05]") {
    Random random{20};
    const LearnedPositions positions{normal(random, {6, 512}, 0.0, 1.0)};
    const Tensor x = normal(random, {3, 6, 512}, 0.0, 1.0);
    const Tensor output = positions(x);
    REQUIRE(output.shape() == Shape{3, 6, 512});
    for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t t = 0; t < 6; ++t) {
            for (std::size_t d = 0; d < 512; ++d)
                REQUIRE(output(b, t, d) == x(b, t, d) + positions.table(t, d));
        }
    }
}

TEST_CASE("LearnedPositions: worked by hand", "[ch05]") {
    const LearnedPositions positions{Tensor{{10, 20}, {30, 40}, {50, 60}}};
    CHECK(positions(Tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}) ==
          Tensor{{{11, 22}, {33, 44}}, {{15, 26}, {37, 48}}});
    CHECK(positions(Tensor{{1, 2}}) == Tensor{{11, 22}});  // without a batch, row 0 alone
}

TEST_CASE("LearnedPositions: a longer sequence starts with the shorter one", "[ch05]") {
    const LearnedPositions positions{Tensor{{1, 0}, {0, 2}, {5, 5}}};
    const Tensor x{{{1, 1}, {2, 2}, {3, 3}}};
    CHECK(slice(positions(x), 1, 0, 2) == positions(slice(x, 1, 0, 2)));
    CHECK(positions(x)(0, 2, 1) == 8);  // the last row of the table is used
}

TEST_CASE("LearnedPositions: equals an embedding of positions in PyTorch", "[ch05]") {
    const auto expected = golden("ch05_learned");
    const LearnedPositions positions{expected.at("table")};
    // Largest errors seen: 0; a sum below 8 rounds to 2.4e-7 (float).
    check_close("output", positions(expected.at("x")), expected.at("output"),
                by_precision(5e-7, 1e-15));
}

TEST_CASE("LearnedPositions: the parameter has its name in a checkpoint", "[ch05]") {
    LearnedPositions positions{Tensor(Shape{512, 4})};
    std::vector<std::string> names;
    for_each_parameter(positions, [&names](const std::string& name, Tensor& tensor) {
        names.push_back(name);
        tensor(3, 1) = 7;
    });
    CHECK(names == std::vector<std::string>{"position_embeddings.weight"});
    CHECK(positions.table(3, 1) == 7);
    const LearnedPositions& constant = positions;
    for_each_parameter(constant, [](const std::string& name, auto& tensor) {
        CHECK(name == "position_embeddings.weight");
        CHECK(tensor.shape() == Shape{512, 4});
        CHECK(std::is_const_v<std::remove_reference_t<decltype(tensor)>>);
    });
}

TEST_CASE("LearnedPositions: a sequence longer than the table is refused", "[ch05]") {
    const LearnedPositions positions{Tensor(Shape{512, 4})};
    CHECK_NOTHROW(positions(Tensor(Shape{1, 512, 4})));
    CHECK_THROWS_AS(positions(Tensor(Shape{1, 513, 4})), ShapeError);
    CHECK_THROWS_WITH(positions(Tensor(Shape{1, 513, 4})),
                      ContainsSubstring("x (1, T=513, D=4) is longer than the table (N=512, D=4)"));
}

TEST_CASE("LearnedPositions: shapes that do not fit are refused", "[ch05]") {
    const LearnedPositions positions{Tensor(Shape{5, 4})};
    CHECK_THROWS_WITH(positions(Tensor(Shape{2, 3, 6})),
                      ContainsSubstring("(2, T=3, D=6) does not fit the table (N=5, D=4)"));
    CHECK_THROWS_AS(positions(Tensor(Shape{2, 3, 1})), ShapeError);  // no broadcasting over D
    CHECK_THROWS_WITH(positions(Tensor(Shape{4})), ContainsSubstring("x (4) does not fit"));
    CHECK_THROWS_AS(positions(Tensor(Shape{2, 0, 4})), ShapeError);
    CHECK_THROWS_AS(positions(Tensor(Shape{0, 3, 4})), ShapeError);
    CHECK_THROWS_AS(LearnedPositions{}(Tensor(Shape{1, 1, 1})), ShapeError);
    CHECK_THROWS_WITH(LearnedPositions{Tensor(Shape{5})}(Tensor(Shape{5, 5})),
                      ContainsSubstring("does not fit the table (5)"));
}
