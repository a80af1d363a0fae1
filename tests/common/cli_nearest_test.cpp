#include "common/cli/nearest.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

TEST_CASE("edit_distance: numbers counted by hand", "[cli]") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);  // k-s, e-i, +g
    CHECK(edit_distance("abc", "bc") == 1);
    CHECK(edit_distance("bc", "abc") == 1);
    CHECK(edit_distance("mask", "maks") == 2);
    CHECK(edit_distance("flaw", "lawn") == 2);
}

TEST_CASE("nearest_word: the closest known word", "[cli]") {
    const std::vector<std::string> known{"--out", "--heads", "--help", "--version"};
    CHECK(nearest_word("--head", known) == "--heads");
    CHECK(nearest_word("--hepl", known) == "--help");
    CHECK(nearest_word("--out", known) == "--out");
    CHECK(nearest_word("--vers", known) == "--version");
    CHECK(nearest_word("abc", {"abd", "abe"}) == "abd");
}

TEST_CASE("nearest_word: empty when no word is close", "[cli]") {
    CHECK(nearest_word("--gibberish", {"--out", "--help"}).empty());
    CHECK(nearest_word("ab", {"ac"}).empty());
    CHECK(nearest_word("word", {}).empty());
    CHECK(nearest_word("", {"word"}).empty());
    CHECK(nearest_word(std::string(1000000, 'a'), {"word"}).empty());
}
