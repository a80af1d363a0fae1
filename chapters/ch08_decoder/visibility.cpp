#include "ch08_decoder/visibility.hpp"

#include <algorithm>
#include <cmath>

#include "ch03_masks/masks.hpp"
#include "common/random/random.hpp"

namespace bert {

namespace {

Tensor run(const VisibilityExample& e) {
    return e.decoder(e.x, e.memory, e.self_mask, e.memory_mask);
}

// `which` is the tensor whose positions are changed one after the other.
Tensor effect_of(VisibilityExample example, Tensor VisibilityExample::*which) {
    const Tensor before = run(example);
    const Tensor unchanged = example.*which;
    Tensor effect(Shape{before.dim(1), unchanged.dim(1)});
    for (std::size_t position = 0; position < unchanged.dim(1); ++position) {
        example.*which = unchanged;
        for (Real& number : (example.*which).mutable_row(position))
            number = -number;
        const Tensor after = run(example);
        for (std::size_t t = 0; t < before.dim(1); ++t) {
            for (std::size_t d = 0; d < before.dim(2); ++d) {
                const Real change = std::abs(after(0, t, d) - before(0, t, d));
                effect(t, position) = std::max(effect(t, position), change);
            }
        }
    }
    return effect;
}

}  // namespace

VisibilityExample visibility_example() {
    constexpr std::size_t width = 12;
    Random random{8};
    return {random_decoder(random, {2, width, 3, 24}), normal(random, {1, 5, width}, 0.0, 1.0),
            normal(random, {1, 4, width}, 0.0, 1.0), causal_mask(5), padding_mask({{1, 1, 1, 0}})};
}

Tensor effect_of_targets(const VisibilityExample& example) {
    return effect_of(example, &VisibilityExample::x);
}

Tensor effect_of_sources(const VisibilityExample& example) {
    return effect_of(example, &VisibilityExample::memory);
}

}  // namespace bert
