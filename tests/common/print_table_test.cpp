#include <limits>

#include "common/tensor/print.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("to_text: decimals are rounded and zero has no sign", "[print]") {
    CHECK(to_text(1.0, 4) == "1.0000");
    CHECK(to_text(-1.23456, 2) == "-1.23");
    CHECK(to_text(2.5, 0) == "2");
    CHECK(to_text(-0.0, 4) == "0.0000");
    CHECK(to_text(-0.00004, 4) == "0.0000");
    CHECK(to_text(-0.00006, 4) == "-0.0001");
    CHECK(to_text(-0.2, 0) == "0");
    CHECK(to_text(1e15, 1) == "1000000000000000.0");
}

TEST_CASE("to_text: numbers that are not finite", "[print]") {
    CHECK(to_text(infinity, 4) == "inf");
    CHECK(to_text(-infinity, 4) == "-inf");
    CHECK(to_text(not_a_number, 4) == "nan");
    CHECK(to_text(-not_a_number, 4) == "nan");
}

TEST_CASE("text_width: counts code points", "[print]") {
    CHECK(text_width("") == 0);
    CHECK(text_width("word") == 4);
    CHECK(text_width("\xC3\xA9t\xC3\xA9") == 3);         // e acute, t, e acute
    CHECK(text_width("\xE6\xB3\xA8\xE6\x84\x8F") == 2);  // two Chinese characters
    CHECK(text_width("\xF0\x9F\x98\x80") == 1);
}

TEST_CASE("to_table: rank 0 and 1 are one line", "[print]") {
    CHECK(to_table(Tensor(Shape{}, {2})) == "  2.0000\n");
    CHECK(to_table(Tensor{1, -2, 30}, {.decimals = 1}) == "   1.0  -2.0  30.0\n");
    CHECK(to_table(Tensor{1, 2}, {.decimals = 0, .indent = 0}) == "1  2\n");
}

TEST_CASE("to_table: rank 2 is a table with columns of one width", "[print]") {
    CHECK(to_table(Tensor{{1, -2}, {100, 0.25}}, {.decimals = 2}) ==
          "    1.00   -2.00\n"
          "  100.00    0.25\n");
    CHECK(to_table(Tensor{{-0.00001, infinity}, {not_a_number, -infinity}}) ==
          "  0.0000     inf\n"
          "     nan    -inf\n");
}

TEST_CASE("to_table: names of rows and columns", "[print]") {
    const TableFormat format{
        .decimals = 1, .row_names = {"the", "crane"}, .column_names = {"a", "b"}, .indent = 1};
    CHECK(to_table(Tensor{{1, 2}, {3, 4}}, format) ==
          "          a    b\n"
          "   the  1.0  2.0\n"
          " crane  3.0  4.0\n");
}

TEST_CASE("to_table: names in UTF-8 are aligned by code points", "[print]") {
    const TableFormat format{.decimals = 0,
                             .row_names = {"\xC3\xA9t\xC3\xA9", "a"},
                             .column_names = {"\xC3\xA9\xC3\xA9", "bbb"},
                             .indent = 0};
    CHECK(to_table(Tensor{{1, 2}, {3, 4}}, format) ==
          "      \xC3\xA9\xC3\xA9  bbb\n"
          "\xC3\xA9t\xC3\xA9    1    2\n"
          "  a    3    4\n");
}

TEST_CASE("to_table: higher ranks are a table a matrix under its index", "[print]") {
    const Tensor x(Shape{2, 1, 1, 2}, {1, 2, 3, 4});
    CHECK(to_table(x, {.decimals = 0}) ==
          "  (0, 0)\n"
          "  1  2\n"
          "  (1, 0)\n"
          "  3  4\n");
}

TEST_CASE("to_table: a tensor without elements is one line", "[print]") {
    constexpr std::size_t huge = std::size_t{1} << 40U;
    CHECK(to_table(Tensor(Shape{0})) == "  empty (0)\n");
    CHECK(to_table(Tensor(Shape{2, 0}), {.indent = 0}) == "empty (2, 0)\n");
    CHECK(to_table(Tensor(Shape{huge, 0})) == "  empty (1099511627776, 0)\n");
    CHECK(to_table(Tensor(Shape{huge, 0, 3})) == "  empty (1099511627776, 0, 3)\n");
}

TEST_CASE("to_table: names that do not fit are refused", "[print]") {
    const Tensor x(Shape{2, 3});
    CHECK_THROWS_WITH(to_table(x, {.row_names = {"a"}}), "to_table: 1 row names for shape (2, 3)");
    CHECK_THROWS_WITH(to_table(x, {.column_names = {"a", "b"}}),
                      "to_table: 2 column names for shape (2, 3)");
    CHECK_THROWS_AS(to_table(Tensor{1, 2}, {.row_names = {"a", "b"}}), ShapeError);
    CHECK_THROWS_AS(to_table(Tensor(Shape{}), {.column_names = {"a", "b"}}), ShapeError);
}

TEST_CASE("to_table: rank 4 counts both leading indices", "[print]") {
    const Tensor x(Shape{2, 2, 1, 1}, {1, 2, 3, 4});
    CHECK(to_table(x, {.decimals = 0, .indent = 0}) ==
          "(0, 0)\n1\n(0, 1)\n2\n(1, 0)\n3\n(1, 1)\n4\n");
}
