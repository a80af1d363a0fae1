#include "ch04_multi_head/linear.hpp"

#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

namespace {

// Without this a bias of another shape would broadcast, and a weight of rank 3 be a batch.
void require_fit(const Linear& layer, const Tensor& x) {
    const bool bias_fits =
        layer.bias.size() == 0 ||
        (layer.weight.rank() == 2 && layer.bias.shape() == Shape{layer.weight.dim(0)});
    if (layer.weight.rank() != 2 || !bias_fits) {
        throw ShapeError{"Linear: weight " + to_string(layer.weight.shape()) + " and bias " +
                         to_string(layer.bias.shape()) + " are not (out, in) and (out)"};
    }
    if (x.rank() < 2 || x.dim(-1) != layer.weight.dim(1)) {
        throw ShapeError{"Linear: x " + to_string(x.shape()) + " is not (.., in) for weight " +
                         to_string(layer.weight.shape()) + ", (out, in)"};
    }
}

}  // namespace

// [linear]
Tensor Linear::operator()(const Tensor& x) const {
    require_fit(*this, x);
    const Tensor product = matmul_transpose_b(x, weight);  // (.., out)
    return bias.size() == 0 ? product : product + bias;
}
// [linear]

Linear random_linear(Random& random, std::size_t in, std::size_t out, double stddev) {
    return {normal(random, {out, in}, 0.0, stddev), Tensor(Shape{out})};
}

}  // namespace bert
