#include "ch07_encoder/dropout.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "ch07_encoder/dropout_mask.hpp"
#include "common/autograd/remember.hpp"

namespace bert {

namespace {

// y[i] = m[i] x[i] / (1 - p); a dropped NaN or infinity is 0 too.
Tensor keep_some(const Tensor& x, const DropoutMask& mask, Real scale) {
    Tensor y = Tensor::for_overwrite(x.shape());
    const Real* const from = x.data();
    const std::uint8_t* const kept = mask.kept.get();
    Real* const to = y.mutable_data();
#pragma omp parallel for simd if (x.size() > 65536)
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Real scaled = from[i] * scale;
        to[i] = kept[i] != 0 ? scaled : Real{0};
    }
    return y;
}

}  // namespace

Dropout::Dropout(double probability, Random random)
    : probability_(probability), random_(std::move(random)) {
    if (probability >= 0.0 && probability < 1.0) return;
    throw std::invalid_argument{"Dropout: probability (found " + std::to_string(probability) +
                                ", expected at least 0 and below 1)"};
}

// [dropout]
// dy[i]/dx[i] = m[i] / (1 - p):  dx = m g / (1 - p), dropout once more with the same mask
Tensor Dropout::operator()(const Tensor& x) {
    if (probability_ == 0.0) return x;
    const DropoutMask mask = draw_dropout_mask(random_, probability_, x.size());
    const Real scale = static_cast<Real>(1.0 / (1.0 - probability_));
    const auto gradient = [mask, scale](const BackwardStep& step) -> std::vector<Tensor> {
        return {keep_some(step.output_gradient(), mask, scale)};
    };
    return remember(keep_some(x, mask, scale), {x}, gradient, Keep::shapes);
}
// [dropout]

}  // namespace bert
