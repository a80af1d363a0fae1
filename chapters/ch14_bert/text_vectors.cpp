#include "ch14_bert/text_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/tensor/layout.hpp"

namespace bert {

namespace {

Tensor mean_of_tokens(const Tensor& hidden, const Tensor& attention_mask) {
    const std::size_t length = hidden.dim(1);
    Tensor means(Shape{hidden.dim(0), hidden.dim(2)});
    for (std::size_t b = 0; b < hidden.dim(0); ++b) {
        std::vector<double> sum(hidden.dim(2));
        double tokens = 0.0;
        for (std::size_t t = 0; t < length; ++t) {
            if (attention_mask(b, t) == Real{0}) continue;
            const std::span<const Real> row = hidden.row(b * length + t);
            for (std::size_t d = 0; d < sum.size(); ++d)
                sum[d] += static_cast<double>(row[d]);
            tokens += 1.0;
        }
        std::transform(sum.begin(), sum.end(), means.mutable_row(b).begin(),
                       [&](double x) { return static_cast<Real>(x / std::max(tokens, 1.0)); });
    }
    return means;
}

}  // namespace

Tensor text_vectors(const BertOutput& output, const Tensor& attention_mask, Pooling pooling) {
    const Tensor& hidden = output.last_hidden_state;
    if (hidden.rank() != 3 || attention_mask.shape() != Shape{hidden.dim(0), hidden.dim(1)}) {
        throw ShapeError{"text_vectors: attention_mask " + to_string(attention_mask.shape()) +
                         " does not fit last_hidden_state " + to_string(hidden.shape())};
    }
    if (pooling == Pooling::mean) return mean_of_tokens(hidden, attention_mask);
    if (pooling == Pooling::cls)
        return slice(hidden, 1, 0, 1).reshaped({hidden.dim(0), hidden.dim(2)});
    if (!output.pooler_output)
        throw std::invalid_argument{"text_vectors: Pooling::pooler, and the model has no pooler"};
    return *output.pooler_output;
}

Tensor unit_rows(const Tensor& x) {
    Tensor result = x;
    for (std::size_t r = 0; r < result.num_rows(); ++r) {
        const std::span<Real> row = result.mutable_row(r);
        double squares = 0.0;
        for (const Real number : row)
            squares += static_cast<double>(number) * static_cast<double>(number);
        const double length = std::max(std::sqrt(squares), 1e-12);
        for (Real& number : row)
            number = static_cast<Real>(static_cast<double>(number) / length);
    }
    return result;
}

}  // namespace bert
