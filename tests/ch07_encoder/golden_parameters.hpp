// Golden parameters and gradients by the names of for_each_parameter.
#pragma once

#include <map>
#include <string>

#include "common/autograd/tape.hpp"
#include "common/tensor/parameters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

namespace bert::test {

/// Every parameter of the layer gets the array of its name.
template <typename Layer>
void load_parameters(Layer& layer, const std::map<std::string, Tensor>& arrays) {
    for_each_parameter(layer, [&arrays](const std::string& name, Tensor& parameter) {
        INFO(name);
        REQUIRE(parameter.shape() == arrays.at(name).shape());
        parameter = arrays.at(name);
    });
}

/// The gradient of every parameter against the array "gradient.NAME".
template <typename Layer>
void check_gradients_of(const Layer& layer, const Gradients& gradients,
                        const std::map<std::string, Tensor>& arrays, double tolerance) {
    for_each_parameter(layer, [&](const std::string& name, const Tensor& parameter) {
        check_close("gradient of " + name, gradients.of(parameter), arrays.at("gradient." + name),
                    tolerance);
    });
}

}  // namespace bert::test
