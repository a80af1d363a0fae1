// The fast path: oneDNN.
//
// The result is cut into tiles whose sizes follow from the shape alone, and each tile is one
// single-threaded call of the library. Threads only choose which tile to do next, so their number
// cannot change a bit of the result.
#include <omp.h>

#include <algorithm>
#include <map>
#include <vector>

#include "common/tensor/first_error.hpp"
#include "common/tensor/matmul_kernels.hpp"
#include "common/tensor/onednn.hpp"

namespace bert {

namespace {

// Large enough to keep the arithmetic units busy, small enough to leave work for several threads.
constexpr std::size_t tile_columns = 256;
constexpr std::size_t tile_rows = 64;
// Fewer multiplications than this take one thread less time than waiting for the others.
constexpr double worth_threads = 2e6;

// A compiled product with the three places it reads and writes.
struct Compiled {
    dnnl::matmul primitive;
    dnnl::memory a;
    dnnl::memory b;
    dnnl::memory c;

    void run(const Real* a_data, const Real* b_data, Real* c_data) {
        // The library reads a and b only; its handles are not const.
        a.set_data_handle(const_cast<Real*>(a_data));
        b.set_data_handle(const_cast<Real*>(b_data));
        c.set_data_handle(c_data);
        primitive.execute(onednn_stream(),
                          {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    }
};

// Sizes and strides of one tile; `packed` tiles of b are in the library's own arrangement.
struct TileKey {
    std::size_t m, n, k, a_row, a_column, b_row, b_column, c_row;
    bool packed;
    auto operator<=>(const TileKey&) const = default;
};

// The arrangement of b that the library prefers for full tiles.
dnnl::memory::desc packed_desc(std::size_t k, std::size_t n) {
    return onednn_product(onednn_matrix(tile_rows, k, k, 1), onednn_any_matrix(k, n),
                          onednn_matrix(tile_rows, n, n, 1))
        .weights_desc();
}

Compiled compile(const TileKey& key) {
    const auto a = onednn_matrix(key.m, key.k, key.a_row, key.a_column);
    const auto b = key.packed ? packed_desc(key.k, key.n)
                              : onednn_matrix(key.k, key.n, key.b_row, key.b_column);
    const auto c = onednn_matrix(key.m, key.n, key.c_row, 1);
    return {dnnl::matmul{onednn_product(a, b, c)}, dnnl::memory{a, onednn_engine(), nullptr},
            dnnl::memory{b, onednn_engine(), nullptr}, dnnl::memory{c, onednn_engine(), nullptr}};
}

Compiled& compiled(const TileKey& key) {
    thread_local std::map<TileKey, Compiled> known;
    return remembered(known, key, [&] { return compile(key); });
}

std::size_t ceil_divide(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

// A length cut into tiles of one size. A remainder below 16 joins the tile before it: slivers are
// slow, and oneDNN 3.7 takes a tile of a single row or column for a vector without gaps, whatever
// its strides say.
struct Cut {
    static constexpr std::size_t least = 16;
    std::size_t length;
    std::size_t size;

    std::size_t count() const { return std::max<std::size_t>(1, (length + size - least) / size); }
    std::size_t begin(std::size_t tile) const { return tile * size; }
    std::size_t width(std::size_t tile) const {
        return tile + 1 < count() ? size : length - begin(tile);
    }
};

// Calls do_tile(product, first row, rows, first column, columns) for every tile of the batch.
template <typename DoTile>
void for_each_tile(const std::vector<Product>& batch, DoTile do_tile) {
    const Cut rows{batch.front().m, tile_rows};
    const Cut columns{batch.front().n, tile_columns};
    const std::size_t tiles = rows.count() * columns.count();
    FirstError error;
    const double work = static_cast<double>(batch.size() * batch.front().m) *
                        static_cast<double>(batch.front().n) * static_cast<double>(batch.front().k);
#pragma omp parallel if (batch.size() * tiles > 1 && work >= worth_threads)
    {
        const int threads_outside = omp_get_max_threads();
        omp_set_num_threads(1);  // for this thread: the library must not start threads of its own
#pragma omp for schedule(dynamic)
        for (std::size_t job = 0; job < batch.size() * tiles; ++job) {
            const Product& product = batch[job / tiles];
            const std::size_t row = job % tiles / columns.count();
            const std::size_t column = job % columns.count();
            error.guard([&] {
                do_tile(product, rows.begin(row), rows.width(row), columns.begin(column),
                        columns.width(column));
            });
        }
        omp_set_num_threads(threads_outside);
    }
    with_onednn_errors([&] { error.rethrow(); });
}

}  // namespace

void multiply_with_library(const std::vector<Product>& batch) {
    for_each_tile(batch, [](const Product& p, std::size_t row, std::size_t rows, std::size_t column,
                            std::size_t columns) {
        compiled({rows, columns, p.k, p.a.row_stride, p.a.column_stride, p.b.row_stride,
                  p.b.column_stride, p.c_stride, false})
            .run(p.a.data + row * p.a.row_stride, p.b.data + column * p.b.column_stride,
                 p.c + row * p.c_stride + column);
    });
}

void multiply_by_this_thread(const Product& p) {
    constexpr std::size_t thin = 4;  // see Cut
    if (p.m < thin || p.n < thin || p.k < thin) return multiply_with_loop({p});
    with_onednn_errors([&] {
        compiled({p.m, p.n, p.k, p.a.row_stride, p.a.column_stride, p.b.row_stride,
                  p.b.column_stride, p.c_stride, false})
            .run(p.a.data, p.b.data, p.c);
    });
}

PackedColumns pack_columns(std::size_t k, std::size_t n, const Operand& b) {
    PackedColumns packed;
    const Cut cut{n, tile_columns};
    for (std::size_t tile = 0; tile < cut.count(); ++tile) {
        const std::size_t column = cut.begin(tile);
        const std::size_t columns = cut.width(tile);
        const auto target = packed_desc(k, columns);
        Tensor packed_tile(Shape{ceil_divide(target.get_size(), sizeof(Real))});
        dnnl::memory from{onednn_matrix(k, columns, b.row_stride, b.column_stride), onednn_engine(),
                          const_cast<Real*>(b.data + column * b.column_stride)};
        dnnl::memory to{target, onednn_engine(), packed_tile.mutable_data()};
        dnnl::reorder{from, to}.execute(onednn_stream(), from, to);
        onednn_stream().wait();
        packed.tiles.push_back(std::move(packed_tile));
    }
    return packed;
}

void multiply_packed_with_library(const Product& product, const PackedColumns& b) {
    for_each_tile({product}, [&b](const Product& p, std::size_t row, std::size_t rows,
                                  std::size_t column, std::size_t columns) {
        // The library's kernels for packed matrices want a result without gaps between its rows.
        thread_local std::vector<Real> tile;
        tile.resize(rows * columns);
        compiled({rows, columns, p.k, p.a.row_stride, 1, 0, 0, columns, true})
            .run(p.a.data + row * p.a.row_stride, b.tiles[column / tile_columns].data(),
                 tile.data());
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(tile.data() + r * columns, columns, p.c + (row + r) * p.c_stride + column);
        }
    });
}

}  // namespace bert
