#include "common/tensor/gather.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/autograd/remember.hpp"

namespace bert {

namespace {

void require_rows(const Tensor& table, const std::vector<std::int64_t>& rows,
                  const Shape& leading) {
    if (table.rank() != 2) {
        throw ShapeError{"gather_rows: table " + to_string(table.shape()) + " is not (N, D)"};
    }
    if (element_count(leading) != rows.size()) {
        throw ShapeError{"gather_rows: " + std::to_string(rows.size()) + " rows do not fill " +
                         to_string(leading)};
    }
    const auto count = static_cast<std::int64_t>(table.dim(0));
    const auto wrong = std::find_if(rows.begin(), rows.end(),
                                    [count](std::int64_t row) { return row < 0 || row >= count; });
    if (wrong == rows.end()) return;
    throw std::invalid_argument{
        "gather_rows: row number " + std::to_string(wrong - rows.begin()) + " (found " +
        std::to_string(*wrong) + ", expected " +
        (count > 0 ? "0 to " + std::to_string(count - 1) : "none: the table is empty") + ")"};
}

// y[p, :] = table[rows[p], :], so a row of the table gets the gradients of all places that took it:
//
//     dtable[n, :] = sum over p with rows[p] == n of g[p, :]
//
// The places are put in the order of their rows; then each row's sum is one thread's, in double and
// in the order of the places.
struct GatherGradient {
    std::vector<std::int64_t> rows;

    std::vector<Tensor> operator()(const BackwardStep& step) const {
        const Tensor& g = step.output_gradient();
        Tensor table_gradient(step.input_shape(0));
        Real* const out = table_gradient.mutable_data();
        const std::size_t width = table_gradient.dim(1);

        std::vector<std::size_t> places(rows.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::stable_sort(places.begin(), places.end(),
                         [this](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
        std::vector<std::size_t> begins;  // of the places that share a row; then their number
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (i == 0 || rows[places[i]] != rows[places[i - 1]]) begins.push_back(i);
        }
        begins.push_back(places.size());

#pragma omp parallel for if (g.size() > 65536)
        for (std::size_t k = 0; k < begins.size() - 1; ++k) {
            const std::span<const std::size_t> same{&places[begins[k]], begins[k + 1] - begins[k]};
            add_rows(g.data(), width, same, out + static_cast<std::size_t>(rows[same[0]]) * width);
        }
        return {table_gradient};
    }

    static void add_rows(const Real* g, std::size_t width, std::span<const std::size_t> places,
                         Real* out) {
        constexpr std::size_t share = 64;
        for (std::size_t begin = 0; begin < width; begin += share) {
            const std::size_t size = std::min(share, width - begin);
            std::array<double, share> sums{};
            for (const std::size_t place : places) {
                for (std::size_t d = 0; d < size; ++d)
                    sums[d] += static_cast<double>(g[place * width + begin + d]);
            }
            std::transform(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(size),
                           out + begin, [](double sum) { return static_cast<Real>(sum); });
        }
    }
};

}  // namespace

Tensor gather_rows(const Tensor& table, const std::vector<std::int64_t>& rows, Shape leading) {
    require_rows(table, rows, leading);
    const std::size_t width = table.dim(1);
    leading.push_back(width);
    Tensor y = Tensor::for_overwrite(std::move(leading));
    Real* const out = y.mutable_data();
#pragma omp parallel for if (y.size() > 65536)
    for (std::size_t p = 0; p < rows.size(); ++p)
        std::copy_n(table.data() + static_cast<std::size_t>(rows[p]) * width, width,
                    out + p * width);
    return remember(y, {table}, GatherGradient{rows}, Keep::shapes);
}

}  // namespace bert
