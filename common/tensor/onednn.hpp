// What the files that call oneDNN share: version 2.6 (Debian 12) and 3.x (Debian 13, Ubuntu 24.04).
#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>

#include "common/tensor/memory.hpp"

namespace bert {

inline dnnl::engine& onednn_engine() {
    static dnnl::engine cpu{dnnl::engine::kind::cpu, 0};
    return cpu;
}

inline dnnl::stream& onednn_stream() {
    thread_local dnnl::stream own{onednn_engine()};
    return own;
}

inline dnnl::memory::dims onednn_dims(std::size_t rows, std::size_t columns) {
    return {static_cast<dnnl::memory::dim>(rows), static_cast<dnnl::memory::dim>(columns)};
}

/// A float matrix whose element (i, j) is at i * row_stride + j * column_stride.
inline dnnl::memory::desc onednn_matrix(std::size_t rows, std::size_t columns,
                                        std::size_t row_stride, std::size_t column_stride) {
    return {onednn_dims(rows, columns), dnnl::memory::data_type::f32,
            onednn_dims(row_stride, column_stride)};
}

/// A float matrix in whatever arrangement the library likes best.
inline dnnl::memory::desc onednn_any_matrix(std::size_t rows, std::size_t columns) {
    return {onednn_dims(rows, columns), dnnl::memory::data_type::f32,
            dnnl::memory::format_tag::any};
}

/// c = a b, or with a bias (1, N) c = a b + bias, and what `attributes` add. Throws std::bad_alloc
/// where there may be no room for compiling it: the library runs what it could not write.
inline dnnl::matmul::primitive_desc onednn_product(const dnnl::memory::desc& a,
                                                   const dnnl::memory::desc& b,
                                                   const dnnl::memory::desc& c,
                                                   const dnnl::memory::desc* bias = nullptr,
                                                   const dnnl::primitive_attr& attributes = {}) {
    require_addresses();
#if DNNL_VERSION_MAJOR >= 3
    if (bias == nullptr) return {onednn_engine(), a, b, c, attributes};
    return {onednn_engine(), a, b, *bias, c, attributes};
#else
    if (bias == nullptr) return {dnnl::matmul::desc{a, b, c}, attributes, onednn_engine()};
    return {dnnl::matmul::desc{a, b, *bias, c}, attributes, onednn_engine()};
#endif
}

/// known[key], made by make() when it is not there; forgets all when there are too many.
template <typename Key, typename Value, typename Make>
Value& remembered(std::map<Key, Value>& known, const Key& key, const Make& make) {
    constexpr std::size_t most = 512;
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    if (known.size() >= most) known.clear();
    return known.emplace(key, make()).first->second;
}

/// Calls work(); the library's own "out of memory" becomes std::bad_alloc.
template <typename Work>
void with_onednn_errors(const Work& work) {
    try {
        work();
    } catch (const dnnl::error& e) {
        if (e.status == dnnl_out_of_memory) throw std::bad_alloc{};
        throw;
    }
}

}  // namespace bert
