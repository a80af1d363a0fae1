#include "ch06_learning/gradient_check.hpp"

#include <algorithm>
#include <cmath>

#include "common/autograd/tape.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"

namespace bert {

namespace {

double loss_at(const LossFunction& loss, Real& weight, double value) {
    weight = static_cast<Real>(value);
    const NoGradient no_gradient;
    return static_cast<double>(*loss().data());
}

// [central_difference]
double central_difference(const LossFunction& loss, Real& weight, double step) {
    const auto middle = static_cast<double>(weight);
    const double above = loss_at(loss, weight, middle + step);
    const double below = loss_at(loss, weight, middle - step);
    weight = static_cast<Real>(middle);
    return (above - below) / (2.0 * step);
}

double slope(const LossFunction& loss, Real& weight, double step) {
    const double wide = central_difference(loss, weight, step);
    const double narrow = central_difference(loss, weight, step / 2.0);
    return (4.0 * narrow - wide) / 3.0;
}
// [central_difference]

double norm(const std::vector<double>& x) {
    double sum = 0.0;
    for (const double value : x)
        sum += value * value;
    return std::sqrt(sum);
}

GradientError compare(const std::string& name, const Tensor& by_tape,
                      const std::vector<double>& by_differences) {
    constexpr double least = 1e-3;  // below this the rounding of the loss is all that is seen
    std::vector<double> tape(by_tape.data(), by_tape.data() + by_tape.size());
    std::vector<double> difference(tape.size());
    for (std::size_t i = 0; i < tape.size(); ++i)
        difference[i] = tape[i] - by_differences[i];
    const double size = std::max({norm(tape), norm(by_differences), least});
    return {name, norm(difference) / size, norm(by_differences)};
}

}  // namespace

std::vector<GradientError> check_gradients(const LossFunction& loss,
                                           const std::vector<NamedParameter>& parameters,
                                           double step) {
    for (const NamedParameter& parameter : parameters)
        track(*parameter.tensor);
    const std::vector<Tensor> by_tape = backward(loss()).of(parameters);
    std::vector<GradientError> errors;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        Tensor& parameter = *parameters[p].tensor;
        std::vector<double> by_differences(parameter.size());
        for (std::size_t i = 0; i < parameter.size(); ++i)
            by_differences[i] = slope(loss, parameter.mutable_data()[i], step);
        errors.push_back(compare(parameters[p].name, by_tape[p], by_differences));
    }
    return errors;
}

Tensor weighted_sum(const Tensor& y) {
    Random random{6};
    const Tensor weights = uniform(random, {y.size()}, 0.5, 1.5);
    return sum(reshape(y, {y.size()}) * weights, 0);
}

double operation_gradient_error(const Operation& operation, std::vector<Tensor> inputs,
                                double step) {
    std::vector<NamedParameter> parameters;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        parameters.push_back({"input " + std::to_string(i), &inputs[i]});
    const auto loss = [&] { return weighted_sum(operation(inputs)); };
    double largest = 0.0;
    for (const GradientError& error : check_gradients(loss, parameters, step)) {
        // A NaN must not pass for a small error.
        if (!(error.relative <= largest)) largest = error.relative;
    }
    return largest;
}

}  // namespace bert
