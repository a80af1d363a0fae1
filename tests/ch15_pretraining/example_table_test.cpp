#include "ch15_pretraining/example_table.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace bert;

namespace {

const WordPieceVocabulary& vocabulary() {
    static const WordPieceVocabulary tokens{
        {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s", "sat", "caf\xc3\xa9"}};
    return tokens;
}

PretrainingExample some_example() {
    return {.tokens = {2, 5, 6, 7, 8, 3, 9, 8, 3},
            .first_length = 6,
            .is_random_next = true,
            .positions = {2, 4, 6},
            .replacements = {4, 8, 5}};
}

}  // namespace

TEST_CASE("example_table: text and what is read and guessed stand below each other", "[ch15]") {
    CHECK(example_table(some_example(), vocabulary()) ==
          "9 tokens, 3 to guess; B is from another document (label 1)\n"
          "A text   [CLS] the cat    ##s sat [SEP]\n"
          "  reads  [CLS] the [MASK] ##s sat [SEP]\n"
          "  guess            cat        sat\n"
          "B text   caf\xc3\xa9 sat [SEP]\n"
          "  reads  the  sat [SEP]\n"
          "  guess  caf\xc3\xa9\n");
}

TEST_CASE("example_table: long lines are broken and rows without a word left out", "[ch15]") {
    PretrainingExample example = some_example();
    example.is_random_next = false;
    example.positions = {6};
    example.replacements = {9};
    CHECK(example_table(example, vocabulary(), 22) ==
          "9 tokens, 1 to guess; B follows A (label 0)\n"
          "A text   [CLS] the cat\n"
          "  reads  [CLS] the cat\n"
          "A text   ##s sat [SEP]\n"
          "  reads  ##s sat [SEP]\n"
          "B text   caf\xc3\xa9 sat\n"
          "  reads  caf\xc3\xa9 sat\n"
          "  guess  caf\xc3\xa9\n"
          "B text   [SEP]\n"
          "  reads  [SEP]\n");
    CHECK(example_table(example, vocabulary(), 1).size() > 100);
    example.tokens[1] = 10;
    CHECK_THROWS_AS(example_table(example, vocabulary()), std::invalid_argument);
}
