#include "ch06_learning/step_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

namespace bert {

namespace {

// Without a branch in the loop, so that it costs little beside the step itself.
bool all_finite(const Tensor& x) {
    const Real* const values = x.data();
    int beyond = 0;
#pragma omp parallel for simd reduction(| : beyond) if (x.size() >= 65536)
    for (std::size_t i = 0; i < x.size(); ++i)
        beyond |= static_cast<int>(!(std::abs(values[i]) <= std::numeric_limits<Real>::max()));
    return beyond == 0;
}

}  // namespace

void require_one_each(std::string_view function, std::string_view what,
                      const std::vector<NamedParameter>& parameters,
                      const std::vector<Tensor>& tensors) {
    if (tensors.size() != parameters.size()) {
        const std::size_t shared = std::min(tensors.size(), parameters.size());
        const std::string first = tensors.size() < parameters.size()
                                      ? ", none for " + parameters[shared].name
                                      : std::string{};
        throw ShapeError{fmt::format("{}: number of {}s (found {}, expected {}{})", function, what,
                                     tensors.size(), parameters.size(), first)};
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (tensors[i].shape() == parameters[i].tensor->shape()) continue;
        throw ShapeError{fmt::format("{}: {} {} does not fit {} {}", function, what,
                                     to_string(tensors[i].shape()), parameters[i].name,
                                     to_string(parameters[i].tensor->shape()))};
    }
}

void require_finite_gradients(const std::vector<NamedParameter>& parameters,
                              const std::vector<Tensor>& gradients) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!all_finite(gradients[i]))
            require_finite("gradient of " + parameters[i].name, gradients[i]);
    }
}

void require_learning_rate(std::string_view function, double learning_rate) {
    if (learning_rate > 0.0 && std::isfinite(learning_rate)) return;
    throw std::invalid_argument{fmt::format(
        "{}: learning rate (found {}, expected above 0 and finite)", function, learning_rate)};
}

std::vector<Tensor> zeros_like(const std::vector<NamedParameter>& parameters) {
    std::vector<Tensor> zeros;
    zeros.reserve(parameters.size());
    for (const NamedParameter& parameter : parameters)
        zeros.emplace_back(parameter.tensor->shape());
    return zeros;
}

}  // namespace bert
