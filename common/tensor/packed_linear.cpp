#include "common/tensor/packed_linear.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "common/tensor/memory.hpp"
#include "common/tensor/onednn.hpp"

namespace bert {

namespace {

// The arrangement is asked for with this many rows, and then used for any number of them.
constexpr std::size_t usual_rows = 64;

dnnl::memory::desc packed_desc(std::size_t k, std::size_t n) {
    return onednn_product(onednn_matrix(usual_rows, k, k, 1), onednn_any_matrix(k, n),
                          onednn_matrix(usual_rows, n, n, 1))
        .weights_desc();
}

dnnl::primitive_attr attributes(After after) {
    dnnl::primitive_attr attributes;
    if (after == After::nothing) return attributes;
    const dnnl::algorithm function = after == After::relu   ? dnnl::algorithm::eltwise_relu
                                     : after == After::gelu ? dnnl::algorithm::eltwise_gelu_erf
                                                            : dnnl::algorithm::eltwise_gelu_tanh;
    dnnl::post_ops operations;
#if DNNL_VERSION_MAJOR >= 3
    operations.append_eltwise(function, 0.0F, 0.0F);
#else
    operations.append_eltwise(1.0F, function, 0.0F, 0.0F);
#endif
    attributes.set_post_ops(operations);
    return attributes;
}

struct Sizes {
    std::size_t m, n, k;
    After after;
    auto operator<=>(const Sizes&) const = default;
};

// A compiled product with the four places it reads and writes.
struct CompiledLinear {
    dnnl::matmul primitive;
    dnnl::memory x;
    dnnl::memory weight;
    dnnl::memory bias;
    dnnl::memory y;
};

CompiledLinear compile(const Sizes& sizes) {
    const auto x = onednn_matrix(sizes.m, sizes.k, sizes.k, 1);
    const auto weight = packed_desc(sizes.k, sizes.n);
    const auto bias = onednn_matrix(1, sizes.n, sizes.n, 1);
    const auto y = onednn_matrix(sizes.m, sizes.n, sizes.n, 1);
    const auto product = onednn_product(x, weight, y, &bias, attributes(sizes.after));
    const auto place = [](const dnnl::memory::desc& of) {
        return dnnl::memory{of, onednn_engine(), nullptr};
    };
    return {dnnl::matmul{product}, place(x), place(weight), place(bias), place(y)};
}

}  // namespace

struct PackedLinear::Parts {
    std::size_t inputs;
    std::size_t outputs;
    After after;
    std::shared_ptr<Real[]> weight;  // as many numbers as the arrangement takes
    Tensor bias;
};

PackedLinear::PackedLinear(const WeightPart& weight, const Tensor& bias, After after) {
    const auto [numbers, n, k, row_stride] = weight;
    if (n == 0 || k == 0 || bias.shape() != Shape{n}) {
        throw ShapeError{"PackedLinear: weight " + with_letters({n, k}, "NK") + " and bias " +
                         to_string(bias.shape()) + " are not (N, K) and (N)"};
    }
    if constexpr (!std::is_same_v<Real, float>)
        throw std::logic_error{"PackedLinear: exists for float numbers only"};
    Tensor own_bias = Tensor::for_overwrite(bias.shape());
    std::copy_n(bias.data(), n, own_bias.mutable_data());
    with_onednn_errors([&, numbers = numbers, n = n, k = k, row_stride = row_stride] {
        const auto target = packed_desc(k, n);
        const std::size_t count = (target.get_size() + sizeof(Real) - 1) / sizeof(Real);
        const std::shared_ptr<Real[]> packed = numbers_in_large_pages(count);
        // The library reads the weight only; its handles are not const.
        dnnl::memory from{onednn_matrix(k, n, 1, row_stride), onednn_engine(),
                          const_cast<Real*>(numbers)};
        dnnl::memory to{target, onednn_engine(), packed.get()};
        dnnl::reorder{from, to}.execute(onednn_stream(), from, to);
        onednn_stream().wait();
        parts_ = std::make_shared<const Parts>(Parts{k, n, after, packed, own_bias});
    });
}

PackedLinear::PackedLinear(const Tensor& weight, const Tensor& bias, After after)
    : PackedLinear(weight.rank() == 2
                       ? WeightPart{weight.data(), weight.dim(0), weight.dim(1), weight.dim(1)}
                       : throw ShapeError{"PackedLinear: weight " + to_string(weight.shape()) +
                                          " is not (N, K)"},
                   bias, after) {}

std::size_t PackedLinear::inputs() const {
    return parts_->inputs;
}

std::size_t PackedLinear::outputs() const {
    return parts_->outputs;
}

void PackedLinear::operator()(const Real* x, std::size_t rows, Real* y) const {
    if (rows == 0) return;
    const Parts& parts = *parts_;
    with_onednn_errors([&] {
        thread_local std::map<Sizes, CompiledLinear> known;
        const Sizes sizes{rows, parts.outputs, parts.inputs, parts.after};
        CompiledLinear& product = remembered(known, sizes, [&] { return compile(sizes); });
        product.x.set_data_handle(const_cast<Real*>(x));
        product.weight.set_data_handle(parts.weight.get());
        product.bias.set_data_handle(const_cast<Real*>(parts.bias.data()));
        product.y.set_data_handle(y);
        product.primitive.execute(onednn_stream(), {{DNNL_ARG_SRC, product.x},
                                                    {DNNL_ARG_WEIGHTS, product.weight},
                                                    {DNNL_ARG_BIAS, product.bias},
                                                    {DNNL_ARG_DST, product.y}});
    });
}

}  // namespace bert
