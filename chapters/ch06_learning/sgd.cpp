#include "ch06_learning/sgd.hpp"

#include <cstddef>
#include <stdexcept>

#include <fmt/core.h>

#include "ch06_learning/step_checks.hpp"

namespace bert {

namespace {
// w <- w - r g
void descend(Tensor& parameter, const Tensor& gradient, double learning_rate) {
    const Real r = static_cast<Real>(learning_rate);
    const Real* const g = gradient.data();
    Real* const w = parameter.mutable_data();
#pragma omp parallel for simd if (parameter.size() >= 65536)
    for (std::size_t i = 0; i < parameter.size(); ++i)
        w[i] -= r * g[i];
}

// [momentum]
// v <- mu v + g        w <- w - r v
void descend(Tensor& parameter, Tensor& velocity, const Tensor& gradient, double learning_rate,
             double momentum) {
    const Real r = static_cast<Real>(learning_rate);
    const Real mu = static_cast<Real>(momentum);
    const Real* const g = gradient.data();
    Real* const v = velocity.mutable_data();
    Real* const w = parameter.mutable_data();
#pragma omp parallel for simd if (parameter.size() >= 65536)
    for (std::size_t i = 0; i < parameter.size(); ++i) {
        v[i] = mu * v[i] + g[i];
        w[i] -= r * v[i];
    }
}
// [momentum]

}  // namespace

void Sgd::step(const std::vector<NamedParameter>& parameters, const std::vector<Tensor>& gradients,
               double learning_rate) {
    require_learning_rate("Sgd::step", learning_rate);
    if (!(momentum >= 0.0 && momentum < 1.0)) {
        throw std::invalid_argument{fmt::format(
            "Sgd::step: momentum (found {}, expected at least 0 and below 1)", momentum)};
    }
    require_one_each("Sgd::step", "gradient", parameters, gradients);
    require_finite_gradients(parameters, gradients);
    if (momentum == 0.0) {
        for (std::size_t i = 0; i < parameters.size(); ++i)
            descend(*parameters[i].tensor, gradients[i], learning_rate);
        return;
    }
    if (velocities.empty()) velocities = zeros_like(parameters);
    require_one_each("Sgd::step", "velocity", parameters, velocities);
    for (std::size_t i = 0; i < parameters.size(); ++i)
        descend(*parameters[i].tensor, velocities[i], gradients[i], learning_rate, momentum);
}

}  // namespace bert
