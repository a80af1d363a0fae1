#include "ch14_bert/packed_layer.hpp"

#include <stdexcept>

#include "ch14_bert/row_functions.hpp"
#include "common/io/mapped_file.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

namespace {

// A part of things that are shared out.
struct Range {
    std::size_t begin;
    std::size_t end;
};

// The number of shares is a power of two, so that two or four threads get as much each. Narrow
// shares make slow products.
std::size_t share_count(std::size_t width, std::size_t num_heads, std::size_t inner_width) {
    constexpr std::size_t wide = 512;
    std::size_t shares = width < wide ? 2 : 4;
    while (shares > num_heads || shares > inner_width)
        shares /= 2;
    return shares;
}

// `count` things of `unit` numbers each in shares as even as can be.
std::vector<Range> shared_out(std::size_t count, std::size_t unit, std::size_t shares) {
    std::vector<Range> ranges;
    for (std::size_t s = 0; s < shares; ++s)
        ranges.push_back({count * s / shares * unit, count * (s + 1) / shares * unit});
    return ranges;
}

After after_of(Activation activation) {
    switch (activation) {
        case Activation::relu:
            return After::relu;
        case Activation::gelu:
            return After::gelu;
        case Activation::gelu_tanh:
            return After::gelu_tanh;
    }
    throw std::invalid_argument{"PackedEncoder: no such activation"};
}

void require_finite_weights(const Linear& linear) {
    for (const Tensor& x : {linear.weight, linear.bias})
        if (!all_finite(x.data(), x.size())) require_finite("weight", x);
}

// From memory too where the weight lies in a file.
void drop(Linear& linear) {
    release_mapped_pages(linear.weight.data(), linear.weight.size() * sizeof(Real));
    linear = {};
}

// The rows of each range with their biases.
std::vector<PackedLinear> rows_of(Linear& linear, const std::vector<Range>& ranges, After after) {
    require_finite_weights(linear);
    std::vector<PackedLinear> shares;
    for (const auto [begin, end] : ranges) {
        const std::size_t inputs = linear.weight.dim(1);
        shares.emplace_back(
            WeightPart{linear.weight.data() + begin * inputs, end - begin, inputs, inputs},
            slice(linear.bias, 0, begin, end), after);
    }
    drop(linear);
    return shares;
}

// The columns of each range; the results of all together are to be added up.
std::vector<PackedLinear> columns_of(Linear& linear, const std::vector<Range>& ranges) {
    require_finite_weights(linear);
    std::vector<PackedLinear> shares;
    for (const auto [begin, end] : ranges) {
        const std::size_t inputs = linear.weight.dim(1);
        shares.emplace_back(
            WeightPart{linear.weight.data() + begin, linear.weight.dim(0), end - begin, inputs},
            shares.empty() ? linear.bias : Tensor(linear.bias.shape()));
    }
    drop(linear);
    return shares;
}

// Of each range the rows of all three below one another.
std::vector<PackedLinear> query_key_value_of(MultiHeadAttention& attention,
                                             const std::vector<Range>& ranges) {
    auto& [query, key, value, output, num_heads] = attention;
    for (const Linear* const part : {&query, &key, &value})
        require_finite_weights(*part);
    std::vector<PackedLinear> shares;
    for (const auto [begin, end] : ranges) {
        const auto rows = [begin = begin, end = end](const Tensor& x) {
            return slice(x, 0, begin, end);
        };
        shares.emplace_back(concat({rows(query.weight), rows(key.weight), rows(value.weight)}, 0),
                            concat({rows(query.bias), rows(key.bias), rows(value.bias)}, 0));
    }
    for (Linear* const part : {&query, &key, &value})
        drop(*part);
    return shares;
}

// slice and WeightPart look at one weight each, this at all together.
void require_fit(const EncoderLayer& layer) {
    const auto& [query, key, value, output, num_heads] = layer.self_attention;
    const auto& [inner, outer, activation] = layer.feed_forward;
    const std::size_t d = layer.attention_norm.weight.size();
    const std::size_t f = inner.bias.size();
    const auto is = [](const Linear& linear, std::size_t outputs, std::size_t inputs) {
        return linear.weight.shape() == Shape{outputs, inputs} &&
               linear.bias.shape() == Shape{outputs};
    };
    for (const LayerNorm* const norm : {&layer.attention_norm, &layer.feed_forward_norm})
        if (norm->weight.shape() != Shape{d} || norm->bias.shape() != Shape{d})
            throw ShapeError{"PackedEncoder: the norms of a layer do not fit together"};
    if (d == 0 || num_heads == 0 || d % num_heads != 0 || !is(query, d, d) || !is(key, d, d) ||
        !is(value, d, d) || !is(output, d, d) || f == 0 || !is(inner, f, d) || !is(outer, d, f))
        throw ShapeError{"PackedEncoder: the weights of a layer do not fit together"};
}

}  // namespace

PackedEncoderLayer packed_layer(EncoderLayer& layer) {
    if (layer.norm_order != NormOrder::post)
        throw std::invalid_argument{"PackedEncoder: the layers are not post-norm"};
    require_fit(layer);
    const std::size_t d = layer.attention_norm.weight.size();
    const std::size_t f = layer.feed_forward.inner.bias.size();
    const std::size_t h = layer.self_attention.num_heads;
    const std::size_t shares = share_count(d, h, f);
    const std::vector<Range> columns = shared_out(h, d / h, shares);
    const std::vector<Range> inner_columns = shared_out(f, 1, shares);
    const auto query_key_value = query_key_value_of(layer.self_attention, columns);
    const auto output = columns_of(layer.self_attention.output, columns);
    const auto inner =
        rows_of(layer.feed_forward.inner, inner_columns, after_of(layer.feed_forward.activation));
    const auto outer = columns_of(layer.feed_forward.outer, inner_columns);
    PackedEncoderLayer packed{{}, layer.attention_norm, layer.feed_forward_norm};
    for (std::size_t s = 0; s < shares; ++s) {
        const std::size_t first = columns[s].begin / (d / h);
        const std::size_t end = columns[s].end / (d / h);
        packed.shares.push_back(
            {first, end - first, query_key_value[s], output[s], inner[s], outer[s]});
    }
    return packed;
}

}  // namespace bert
