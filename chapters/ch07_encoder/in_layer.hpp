// Which layer a number went wrong in.
#pragma once

#include <cstddef>
#include <string>

#include "common/tensor/tensor.hpp"

namespace bert {

/// work(); a NumericError leaves it with "encoder layer 2: " before its message, numbered from 0 as
/// in the names of parameters.
template <typename Work>
auto in_layer(const char* stack, std::size_t layer, const Work& work) {
    try {
        return work();
    } catch (const NumericError& e) {
        throw NumericError{std::string{stack} + " layer " + std::to_string(layer) + ": " +
                           e.what()};
    }
}

}  // namespace bert
