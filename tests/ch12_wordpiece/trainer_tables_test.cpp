#include <string>
#include <vector>

#include "ch12_wordpiece/plain_trainer.hpp"
#include "ch12_wordpiece/training_tables.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

// The numbers are worked out in trainer_hand_test.cpp.
TEST_CASE("merges_table: a line a merge", "[ch12]") {
    CHECK(merges_table(plain_merges(tiny_corpus(), 2)) ==
          "step  a       b         n  n_a  n_b    N     score  new piece\n"
          "   1  ##s     ##t       9    9    9   79   19.5500  ##st\n"
          "   2  l       ##o       7    7    7   70   16.1181  lo\n");
}

TEST_CASE("three_trainers_table: a line a step until the last of the three is done", "[ch12]") {
    CHECK(three_trainers_table({{"ab", 2}, {"ac", 1}}, 3) ==
          "step  likelihood gain  ratio      byte pairs\n"
          "   1  ab               ab         ab</w>\n"
          "   2  ac               ac         ac</w>\n"
          "   3  -                -          -\n");
}

// After 8 merges: ##st lo ##est ne low new newest ##dest, and es est</w> lo ew ewest</w> newest</w>
// low</w> dest</w>.
TEST_CASE("two_encodings_table: words as both vocabularies write them", "[ch12]") {
    CHECK(two_encodings_table(tiny_corpus(), 8, {"lowest", "slow"}) ==
          "word     WordPiece            byte pairs\n"
          "lowest   low ##est            lo w est</w>\n"
          "slow     s ##l ##o ##w        s low</w>\n");
}
