#include <algorithm>
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;

TEST_CASE("ch06: options that make no sense are refused before any output", "[ch06]") {
    const auto folder = test::scratch_folder("ch06_refusals");
    const auto refused = [&](const std::string& arguments, const std::string& message) {
        INFO(arguments);
        test::check_refused(test::program(folder, "ch06", arguments), 2, message);
    };
    refused("--steps 1", "--steps: not a whole number in range");
    refused("--steps 5001", "--steps: not a whole number in range");
    refused("--steps 1e2", "--steps: not a whole number in range");
    refused("--steps ''", "--steps: empty");
    refused("--rate 1", "--rate");
}

TEST_CASE("ch06: a short training of the user's own", "[ch06]") {
    const auto folder = test::scratch_folder("ch06_steps");
    const auto result = test::program(folder, "ch06", "--steps 3 --out out");
    CHECK(result.code == 0);
    CHECK_THAT(result.out,
               ContainsSubstring("A toy: which item is the loudest?") &&
                   ContainsSubstring("loss at step                       1       1       3") &&
                   ContainsSubstring("wrote out/toy_losses.svg"));
    CHECK(result.out.find("Cross-entropy") == std::string::npos);
    const std::string drawn = test::content(folder / "out/toy_losses.svg");
    CHECK_THAT(drawn, ContainsSubstring("momentum 0.9, rate 0.3"));
}

namespace {

// The numbers in a text, in their order.
std::vector<double> numbers_in(const std::string& text) {
    std::vector<double> numbers;
    const std::regex number{"[0-9]+(\\.[0-9]+)?"};
    for (std::sregex_iterator at{text.begin(), text.end(), number}, end; at != end; ++at)
        numbers.push_back(std::stod(at->str()));
    return numbers;
}

}  // namespace

TEST_CASE("ch06: the picture in the lesson is the one that the program draws", "[ch06]") {
    const auto folder = test::scratch_folder("ch06_picture");
    REQUIRE(test::program(folder, "ch06", "--steps 200 --out out").code == 0);
    const auto drawn = numbers_in(test::content(folder / "out/toy_losses.svg"));
    const auto shown =
        numbers_in(test::content(BERT_SOURCE_DIR "/chapters/ch06_learning/figures/toy_losses.svg"));
    REQUIRE(drawn.size() == shown.size());
    CHECK(drawn.size() > 1200);  // three curves of 200 points
    double largest = 0.0;
    for (std::size_t i = 0; i < drawn.size(); ++i)
        largest = std::max(largest, std::abs(drawn[i] - shown[i]));
    CHECK(largest <= 0.04);  // of 460 pixels; largest seen: 0.01, rounding of another precision
}
