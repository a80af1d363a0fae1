#include "ch13_bert_input/truncation.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace bert;

// HF fast; the first release of BERT takes the odd token from the second text: 4 and 3.
TEST_CASE("ENC-02: longest_first with 5 and 5 tokens and room for 7", "[ch13]") {
    CHECK(truncated({5, 5}, 7, Truncation::longest_first) == TextLengths{3, 4});
}

TEST_CASE("truncated: longest_first by hand", "[ch13]") {
    const auto left = [](std::size_t first, std::size_t second, std::size_t room) {
        return truncated({first, second}, room, Truncation::longest_first);
    };
    CHECK(left(6, 3, 9) == TextLengths{6, 3});  // fits
    CHECK(left(6, 3, 7) == TextLengths{4, 3});  // the longer alone
    CHECK(left(3, 6, 7) == TextLengths{3, 4});
    CHECK(left(6, 3, 5) == TextLengths{3, 2});  // both, the odd one to the longer
    CHECK(left(3, 6, 5) == TextLengths{2, 3});
    CHECK(left(9, 4, 3) == TextLengths{2, 1});  // less room than the shorter has
    CHECK(left(9, 9, 1) == TextLengths{0, 1});
    CHECK(left(0, 9, 4) == TextLengths{0, 4});
    CHECK(left(9, 9, 0) == TextLengths{0, 0});
    CHECK(truncated({9, {}}, 4, Truncation::longest_first) == TextLengths{4, {}});
}

// One token at a time from the longer text ends at the same lengths, but for the odd token of two
// texts that have become equal.
TEST_CASE("truncated: longest_first is the loop that takes one token at a time", "[ch13]") {
    for (std::size_t a = 0; a < 12; ++a) {
        for (std::size_t b = 0; b < 12; ++b) {
            for (std::size_t room = 0; room <= a + b; ++room) {
                std::size_t first = a, second = b;
                while (first + second > room)
                    (first > second ? first : second) -= 1;
                const TextLengths left = truncated({a, b}, room, Truncation::longest_first);
                INFO(a << " and " << b << " in " << room);
                CHECK(left.sum() == room);
                CHECK(left.first <= a);
                CHECK(*left.second <= b);
                CHECK(std::max(left.first, *left.second) == std::max(first, second));
            }
        }
    }
}

TEST_CASE("truncated: one text alone", "[ch13]") {
    CHECK(truncated({5, 3}, 6, Truncation::only_first) == TextLengths{3, 3});
    CHECK(truncated({5, 3}, 6, Truncation::only_second) == TextLengths{5, 1});
    CHECK(truncated({5, {}}, 2, Truncation::only_first) == TextLengths{2, {}});
    CHECK(truncated({5, {}}, 5, Truncation::only_second) == TextLengths{5, {}});
    CHECK(truncated({5, 3}, 2, Truncation::none) == TextLengths{5, 3});
    CHECK(truncated({5, 3}, 0, Truncation::only_second) == TextLengths{0, 0});
    CHECK(truncated({5, {}}, 0, Truncation::only_second) == TextLengths{0, {}});
}

TEST_CASE("truncated: a text that would lose everything is refused with both lengths", "[ch13]") {
    CHECK_THROWS_WITH(truncated({5, 3}, 5, Truncation::only_second),
                      "truncation only_second: 8 tokens where 5 fit, but the second text has 3 "
                      "and would lose 3");
    CHECK_THROWS_WITH(truncated({2, 7}, 6, Truncation::only_first),
                      "truncation only_first: 9 tokens where 6 fit, but the first text has 2 and "
                      "would lose 3");
    CHECK_THROWS_WITH(truncated({4, {}}, 1, Truncation::only_second),
                      "truncation only_second: 4 tokens where 1 fit, but there is no second text");
    CHECK_THROWS_AS(truncated({4, {}}, 1, Truncation::only_second), std::invalid_argument);
}
