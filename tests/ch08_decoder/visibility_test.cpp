#include "ch08_decoder/visibility.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

TEST_CASE("effect_of_targets: an output changes with its own position and earlier ones", "[ch08]") {
    const Tensor effect = effect_of_targets(visibility_example());
    REQUIRE(effect.shape() == Shape{5, 5});
    for (std::size_t t = 0; t < 5; ++t) {
        for (std::size_t u = 0; u < 5; ++u)
            CHECK((effect(t, u) > Real(0.1)) == (u <= t));
    }
}

TEST_CASE("effect_of_sources: an output changes with every source but padding", "[ch08]") {
    const Tensor effect = effect_of_sources(visibility_example());
    REQUIRE(effect.shape() == Shape{5, 4});
    for (std::size_t t = 0; t < 5; ++t) {
        for (std::size_t s = 0; s < 4; ++s)
            CHECK((effect(t, s) > Real(0.1)) == (s < 3));
    }
}

TEST_CASE("effect_of_targets: without the causal mask the future leaks", "[ch08]") {
    VisibilityExample example = visibility_example();
    example.self_mask = Tensor(Shape{1, 1}, {1});
    const Tensor effect = effect_of_targets(example);
    for (std::size_t u = 0; u < 5; ++u)
        CHECK(effect(0, u) > Real(0.1));
}
