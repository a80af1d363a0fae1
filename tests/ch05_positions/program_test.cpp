#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;

TEST_CASE("ch05: options that make no sense are refused before any output", "[ch05]") {
    const auto folder = test::scratch_folder("ch05_refusals");
    const auto refused = [&](const std::string& arguments, const std::string& message) {
        INFO(arguments);
        test::check_refused(test::program(folder, "ch05", arguments), 2, message);
    };
    refused("--width 3", "--width: odd");
    refused("--width 0", "--width: not a whole number in range");
    refused("--width x", "--width: not a whole number in range");
    refused("--sentence cat", "found 'cat', expected dog, bites or man");
    refused("--sentence ' '", "--sentence: no words");
    refused("--sentence ''", "--sentence: empty");
}

TEST_CASE("ch05: a sentence and a width of the user's own", "[ch05]") {
    const auto folder = test::scratch_folder("ch05_options");
    const auto sentence = test::program(folder, "ch05", "--sentence 'dog bites dog'");
    CHECK(sentence.code == 0);
    CHECK_THAT(sentence.out, ContainsSubstring("Your sentence") && ContainsSubstring("mean"));
    const auto width = test::program(folder, "ch05", "--width 8");
    CHECK(width.code == 0);
    CHECK_THAT(width.out, ContainsSubstring("D = 8\n"));
}
