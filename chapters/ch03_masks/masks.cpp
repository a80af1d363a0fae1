#include "ch03_masks/masks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "common/autograd/remember.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/reduce.hpp"

namespace bert {

namespace {

constexpr Real minus_infinity = -std::numeric_limits<Real>::infinity();

void require_zeros_and_ones(std::string_view function, const Tensor& mask) {
    for (const Real entry : mask.values()) {
        if (entry == 0 || entry == 1) continue;
        throw std::invalid_argument{std::string{function} + ": mask entry (found " +
                                    std::to_string(entry) +
                                    ", expected 1 for visible or 0 for hidden)"};
    }
}

// The mask checked, and repeated to the shape of the scores.
Tensor visible_in(const Tensor& scores, const Tensor& mask) {
    require_zeros_and_ones("hide_scores", mask);
    if (broadcast_shape("hide_scores", scores.shape(), mask.shape()) != scores.shape()) {
        throw ShapeError{"hide_scores: mask " + to_string(mask.shape()) +
                         " is larger than scores " + with_letters(scores.shape(), "TS")};
    }
    return broadcast_to(mask, scores.shape());
}

// An overflow among visible scores must not pass for a hidden one.
void require_visible_finite(const Tensor& scores, const Tensor& visible) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (visible.data()[i] == 0 || std::isfinite(scores.data()[i])) continue;
        throw NumericError{"masked_softmax: a visible score is not finite (row " +
                           std::to_string(i / scores.dim(-1)) + ", column " +
                           std::to_string(i % scores.dim(-1)) + ")"};
    }
}

void fill_row(Tensor& x, std::size_t r, Real value) {
    const std::span<Real> row = x.mutable_row(r);
    std::fill(row.begin(), row.end(), value);
}

// y = x where visible, a constant elsewhere:  dx = g where visible, 0 elsewhere
struct HideGradient {
    Tensor visible;

    std::vector<Tensor> operator()(const BackwardStep& step) const {
        return {step.output_gradient() * visible};
    }
};

}  // namespace

// [causal]
Tensor causal_mask(std::size_t length) {
    if (length == 0) throw ShapeError{"causal_mask: length 0"};
    Tensor mask(Shape{length, length});
    // EXERCISE BEGIN 03-causal-mask
    // STEP visible   1 on and below the diagonal
    for (std::size_t t = 0; t < length; ++t) {
        for (std::size_t s = 0; s <= t; ++s) {
            mask(t, s) = 1;
        }
    }
    // STUB:
    // EXERCISE END
    return mask;
}
// [causal]

// [padding]
Tensor padding_mask(const Tensor& attention_mask) {
    if (attention_mask.rank() != 2) {
        throw ShapeError{"padding_mask: attention_mask " + to_string(attention_mask.shape()) +
                         " is not (B, S)"};
    }
    require_zeros_and_ones("padding_mask", attention_mask);
    return attention_mask.reshaped({attention_mask.dim(0), 1, attention_mask.dim(1)});
}

Tensor combine_masks(const Tensor& a, const Tensor& b) {
    return a * b;  // 1 only where both are 1
}
// [padding]

// [hide]
// visible has the shape of scores
static Tensor hide(const Tensor& scores, const Tensor& visible) {
    Tensor hidden = scores;
    Real* const score = hidden.mutable_data();
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        if (visible.data()[i] == 0) score[i] = minus_infinity;
    }
    return hidden;
}

Tensor hide_scores(const Tensor& scores, const Tensor& mask) {
    const Tensor visible = visible_in(scores, mask);
    return remember(hide(scores, visible), {scores}, HideGradient{visible}, Keep::shapes);
}
// [hide]

Tensor masked_softmax(const Tensor& scores, const Tensor& mask) {
    const Tensor visible = visible_in(scores, mask);
    require_visible_finite(scores, visible);
    // [masked_softmax]
    Tensor hidden = hide(scores, visible);
    const Tensor any_visible = max(visible, -1);  // (.., T): 0 for a row with nothing to see
    for (std::size_t r = 0; r < hidden.num_rows(); ++r) {
        if (any_visible.data()[r] == 0) fill_row(hidden, r, 0);  // any numbers that softmax takes
    }
    Tensor weights = softmax(hidden);
    for (std::size_t r = 0; r < weights.num_rows(); ++r) {
        if (any_visible.data()[r] == 0) fill_row(weights, r, 0);
    }
    // A weight of 0 lets no gradient through, so softmax's own gradient serves hidden scores too.
    return remember(weights, {scores}, softmax_gradient, Keep::output);
    // [masked_softmax]
}

// [masked_attention]
Attention masked_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                           const Tensor& mask, const WeightsChange& change) {
    require_values_fit(key, value);
    Attention result;
    // EXERCISE BEGIN 03-masked-attention
    // STEP scores     Q K^T / sqrt(K)                      (.., T, S)
    const Tensor scores = attention_scores(query, key);
    // STEP weights    softmax over the visible keys        (.., T, S)
    result.weights = masked_softmax(scores, mask);
    // STEP mix        output = weights V                   (.., T, E)
    result.output = matmul(change ? change(result.weights) : result.weights, value);
    // STUB: static_cast<void>(query.size() + key.size() + mask.size() + sizeof(change));
    // EXERCISE END
    return result;
}
// [masked_attention]

}  // namespace bert
