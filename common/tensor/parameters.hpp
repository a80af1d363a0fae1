// The trained numbers of layers, by the names that they have in a checkpoint.
//
// A layer is a plain struct that names its parameters once, in a static member
//
//     template <typename Layer, typename Visitor>
//     static void visit_parameters(Layer& layer, const Visitor& visitor);
//
// which calls visitor(name, tensor) for each tensor of its own, and for_each_parameter() with a
// prefix for each layer in it. Layer is const or not, and so are the tensors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// Calls visitor(name, tensor) for every parameter, in a fixed order; "weight" inside a part with
/// the prefix "query." is "query.weight". The visitor may change the tensors of a layer that is not
/// const.
template <typename Layer, typename Visitor>
void for_each_parameter(Layer& layer, const Visitor& visitor, std::string_view prefix = "") {
    std::remove_const_t<Layer>::visit_parameters(
        layer, [&visitor, prefix](const std::string& name, auto& tensor) {
            visitor(std::string{prefix} + name, tensor);
        });
}

/// The number of trained numbers of a layer: the sizes of all its parameters.
template <typename Layer>
std::size_t parameter_count(const Layer& layer) {
    std::size_t count = 0;
    for_each_parameter(layer, [&count](const std::string&, const Tensor& parameter) {
        count += parameter.size();
    });
    return count;
}

struct NamedParameter {
    std::string name;
    Tensor* tensor;  // lives in the layer
};

/// The parameters of a layer in their order, good as long as the layer stays where it is.
template <typename Layer>
std::vector<NamedParameter> parameters_of(Layer& layer) {
    std::vector<NamedParameter> parameters;
    for_each_parameter(layer, [&parameters](const std::string& name, Tensor& tensor) {
        parameters.push_back({name, &tensor});
    });
    return parameters;
}

}  // namespace bert
