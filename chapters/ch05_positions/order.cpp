#include "ch05_positions/order.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "ch02_scaled_dot_product/attention.hpp"
#include "ch05_positions/sinusoidal.hpp"
#include "common/tensor/elementwise.hpp"

namespace bert {

Tensor permute_rows(const Tensor& x, const std::vector<std::size_t>& order) {
    if (x.rank() != 2 || order.size() != x.dim(0)) {
        throw ShapeError{"permute_rows: x " + with_letters(x.shape(), "TD") +
                         " needs one entry a row, order has " + std::to_string(order.size())};
    }
    Tensor permuted(x.shape());
    std::vector<bool> used(order.size());
    for (std::size_t t = 0; t < order.size(); ++t) {
        if (order[t] >= order.size() || used[order[t]]) {
            throw std::invalid_argument{"permute_rows: order[" + std::to_string(t) + "] is " +
                                        std::to_string(order[t]) + " (expected each of 0 to " +
                                        std::to_string(order.size() - 1) + " once)"};
        }
        used[order[t]] = true;
        const auto row = x.row(order[t]);
        std::copy(row.begin(), row.end(), permuted.mutable_row(t).begin());
    }
    return permuted;
}

double order_sensitivity(const SequenceLayer& layer, const Tensor& x,
                         const std::vector<std::size_t>& order) {
    const Tensor reordered_first = layer(permute_rows(x, order));
    const Tensor reordered_last = permute_rows(layer(x), order);
    const Tensor differences = reordered_first - reordered_last;
    double largest = 0.0;
    for (const Real difference : differences.values()) {
        largest = std::max(largest, std::abs(static_cast<double>(difference)));
    }
    return largest;
}

Tensor attend_without_positions(const Tensor& x) {
    return attention(x, x, x).output;
}

Tensor attend_with_positions(const Tensor& x) {
    if (x.rank() != 2) {
        throw ShapeError{"attend_with_positions: x " + to_string(x.shape()) + " is not (T, D)"};
    }
    return attend_without_positions(x + sinusoidal_positions(x.dim(0), x.dim(1)));
}

Tensor vectors_of(const std::vector<std::string>& words) {
    const std::vector<std::string> known{"dog", "bites", "man"};
    const Tensor vectors{{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}};
    Tensor x(Shape{words.size(), vectors.dim(1)});
    for (std::size_t t = 0; t < words.size(); ++t) {
        const auto place = std::find(known.begin(), known.end(), words[t]);
        if (place == known.end()) {
            throw std::invalid_argument{"word without a vector (found '" + words[t] +
                                        "', expected dog, bites or man)"};
        }
        const auto row = vectors.row(static_cast<std::size_t>(place - known.begin()));
        std::copy(row.begin(), row.end(), x.mutable_row(t).begin());
    }
    return x;
}

}  // namespace bert
