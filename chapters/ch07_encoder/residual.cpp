#include "ch07_encoder/residual.hpp"

namespace bert {

std::string_view to_string(NormOrder order) {
    return order == NormOrder::post ? "post" : "pre";
}

Tensor add_residual(const Tensor& x, const Tensor& change, Dropout* dropout) {
    if (x.shape() != change.shape()) {
        throw ShapeError{"add_residual: x " + to_string(x.shape()) + " and the sublayer's output " +
                         to_string(change.shape()) + " differ"};
    }
    return x + (dropout == nullptr ? change : (*dropout)(change));
}

}  // namespace bert
