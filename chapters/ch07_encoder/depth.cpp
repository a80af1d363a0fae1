#include "ch07_encoder/depth.hpp"

#include <cmath>

#include "common/autograd/tape.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"

namespace bert {

namespace {

double norm_of(const Tensor& x) {
    double sum = 0.0;
    for (const Real value : x.values())
        sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum);
}

}  // namespace

std::vector<DepthReport> reports_by_depth(NormOrder order, std::size_t num_layers) {
    Random random{7};
    const EncoderSize size{num_layers, 32, 4, 128, Activation::relu, order};
    Encoder encoder = random_encoder(random, size);
    track_parameters(encoder);
    Tensor hidden = normal(random, {2, 8, size.width}, 0.0, 1.0);
    const Tensor loss_weights = normal(random, hidden.shape(), 0.0, 1.0);
    const Tensor everything(Shape{1, 1}, {1});
    std::vector<DepthReport> reports;
    for (const EncoderLayer& layer : encoder.layers) {
        hidden = layer(hidden, everything);
        const double size_of_one = norm_of(hidden) / std::sqrt(static_cast<double>(hidden.size()));
        reports.push_back({size_of_one, 0.0});
    }
    if (encoder.final_norm) hidden = (*encoder.final_norm)(hidden);
    const Gradients gradients = backward(sum_to(hidden * loss_weights, {}));
    for (std::size_t l = 0; l < num_layers; ++l) {
        const Linear& outer = encoder.layers[l].feed_forward.outer;
        reports[l].gradient = norm_of(gradients.of(outer.weight));
    }
    return reports;
}

}  // namespace bert
