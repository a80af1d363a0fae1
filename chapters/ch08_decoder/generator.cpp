#include "ch08_decoder/generator.hpp"

#include "ch02_scaled_dot_product/softmax.hpp"

namespace bert {

// [generator]
Tensor Generator::logits(const Tensor& y) const {
    return linear(y);  // (B, T, V)
}

Tensor Generator::probabilities(const Tensor& y) const {
    return softmax(logits(y));  // (B, T, V), every row sums to 1
}
// [generator]

}  // namespace bert
