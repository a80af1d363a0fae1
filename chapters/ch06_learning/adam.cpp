#include "ch06_learning/adam.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include <fmt/core.h>

#include "ch06_learning/step_checks.hpp"

namespace bert {

namespace {

void require_setting(bool fits, std::string_view name, double found, std::string_view expected) {
    if (fits) return;
    throw std::invalid_argument{
        fmt::format("Adam::step: {} (found {}, expected {})", name, found, expected)};
}

void require_settings(const AdamSettings& s) {
    constexpr std::string_view fraction = "at least 0 and below 1";
    require_setting(s.beta1 >= 0.0 && s.beta1 < 1.0, "beta1", s.beta1, fraction);
    require_setting(s.beta2 >= 0.0 && s.beta2 < 1.0, "beta2", s.beta2, fraction);
    // 0 / (sqrt(0) + 0) is no number; as Real it must not be 0 either.
    require_setting(static_cast<Real>(s.epsilon) > 0 && std::isfinite(s.epsilon), "epsilon",
                    s.epsilon, "above 0");
    require_setting(s.weight_decay >= 0.0 && std::isfinite(s.weight_decay), "weight decay",
                    s.weight_decay, "at least 0");
}

// The numbers that all elements share, computed once in double.
struct Scalars {
    Real beta1;
    Real rest1;  // 1 - b1
    Real beta2;
    Real rest2;  // 1 - b2
    Real rate;   // r / (1 - b1^t)
    Real root;   // 1 / sqrt(1 - b2^t)
    Real epsilon;
    Real decay;  // r d
};

Scalars scalars_of(const AdamSettings& s, std::uint64_t t, double learning_rate) {
    const double correction1 = 1.0 - std::pow(s.beta1, static_cast<double>(t));
    const double correction2 = 1.0 - std::pow(s.beta2, static_cast<double>(t));
    return {.beta1 = static_cast<Real>(s.beta1),
            .rest1 = static_cast<Real>(1.0 - s.beta1),
            .beta2 = static_cast<Real>(s.beta2),
            .rest2 = static_cast<Real>(1.0 - s.beta2),
            .rate = static_cast<Real>(learning_rate / correction1),
            .root = static_cast<Real>(1.0 / std::sqrt(correction2)),
            .epsilon = static_cast<Real>(s.epsilon),
            .decay = static_cast<Real>(learning_rate * s.weight_decay)};
}

// [adam]
void update(Tensor& parameter, Tensor& first, Tensor& second, const Tensor& gradient,
            const Scalars& s, Real decay) {
    const Real* const g = gradient.data();
    Real* const m = first.mutable_data();
    Real* const v = second.mutable_data();
    Real* const w = parameter.mutable_data();
#pragma omp parallel for simd if (parameter.size() >= 65536)
    for (std::size_t i = 0; i < parameter.size(); ++i) {
        m[i] = s.beta1 * m[i] + s.rest1 * g[i];
        v[i] = s.beta2 * v[i] + s.rest2 * (g[i] * g[i]);
        // r d w beside the step and not 1 - r d as a factor, which would lose the digits of r d.
        w[i] -= decay * w[i] + s.rate * m[i] / (s.root * std::sqrt(v[i]) + s.epsilon);
    }
}
// [adam]

}  // namespace

bool has_weight_decay(const NamedParameter& parameter) {
    return parameter.tensor->rank() >= 2;
}

void Adam::step(const std::vector<NamedParameter>& parameters, const std::vector<Tensor>& gradients,
                double learning_rate) {
    require_learning_rate("Adam::step", learning_rate);
    require_settings(settings);
    require_one_each("Adam::step", "gradient", parameters, gradients);
    require_finite_gradients(parameters, gradients);
    if (steps == 0 && first_moments.empty() && second_moments.empty()) {
        first_moments = zeros_like(parameters);
        second_moments = zeros_like(parameters);
    }
    require_one_each("Adam::step", "first moment", parameters, first_moments);
    require_one_each("Adam::step", "second moment", parameters, second_moments);
    ++steps;
    const Scalars scalars = scalars_of(settings, steps, learning_rate);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Real decay = has_weight_decay(parameters[i]) ? scalars.decay : Real{0};
        update(*parameters[i].tensor, first_moments[i], second_moments[i], gradients[i], scalars,
               decay);
    }
}

}  // namespace bert
