// Matrix products: the plain loop, the library, and the library with b packed once.
//
// Takes the options of Google Benchmark (--benchmark_filter=..., --benchmark_format=json, ...). The
// last line compares library and loop at 512 x 512 x 512, measured in turns, by their medians.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/tensor/matmul.hpp"

namespace {

using namespace bert;

// c (M, N) = a (M, K) b (K, N)
struct Sizes {
    std::size_t m;
    std::size_t k;
    std::size_t n;
};

enum class Way { loop, library, packed };

// Numbers in [-1, 1) without pattern: zeros or equal numbers could be faster than real ones.
Tensor spread_numbers(std::size_t rows, std::size_t columns) {
    Tensor x(Shape{rows, columns});
    Real* const out = x.mutable_data();
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        out[i] = static_cast<Real>(state >> 8U) / Real{8388608} - Real{1};
    }
    return x;
}

double operations(const Sizes& sizes) {
    return 2.0 * static_cast<double>(sizes.m) * static_cast<double>(sizes.k) *
           static_cast<double>(sizes.n);
}

void measure(benchmark::State& state, Way way, const Sizes& sizes) {
    const Tensor a = spread_numbers(sizes.m, sizes.k);
    const Tensor b = spread_numbers(sizes.k, sizes.n);
    const PackedMatrix packed(b);
    set_matmul_method(way == Way::loop ? MatmulMethod::loop : MatmulMethod::library);
    for (auto _ : state) {
        benchmark::DoNotOptimize(way == Way::packed ? matmul(a, packed) : matmul(a, b));
    }
    state.counters["GFLOP/s"] =
        benchmark::Counter(operations(sizes) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void add(const std::string& name, Way way, const Sizes& sizes) {
    const std::string full = fmt::format("{}/{}x{}x{}", name, sizes.m, sizes.k, sizes.n);
    benchmark::RegisterBenchmark(
        full.c_str(), [way, sizes](benchmark::State& state) { measure(state, way, sizes); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}

void add_all() {
    for (const std::size_t size : {64U, 128U, 256U, 512U})
        add("loop", Way::loop, {size, size, size});
    std::vector<Sizes> fast;
    for (const std::size_t size : {64U, 128U, 256U, 512U, 1024U})
        fast.push_back({size, size, size});
    // The projections of BERT base, and its wide layer, for one sentence and for eight.
    fast.insert(fast.end(), {{128, 768, 768}, {128, 3072, 768}, {1024, 768, 3072}});
    for (const Sizes& sizes : fast)
        add("library", Way::library, sizes);
    for (const Sizes& sizes : fast)
        add("packed", Way::packed, sizes);
}

double seconds(MatmulMethod method, const Tensor& a, const Tensor& b) {
    using Clock = std::chrono::steady_clock;
    set_matmul_method(method);
    const auto start = Clock::now();
    benchmark::DoNotOptimize(matmul(a, b));
    return std::chrono::duration<double>(Clock::now() - start).count();
}

template <std::size_t N>
double median(std::array<double, N> values) {
    std::nth_element(values.begin(), values.begin() + N / 2, values.end());
    return values[N / 2];
}

// In turns, so that whatever else the machine does falls on both.
void compare_at_512() {
    constexpr std::size_t turns = 9;
    constexpr Sizes sizes{512, 512, 512};
    const Tensor a = spread_numbers(sizes.m, sizes.k);
    const Tensor b = spread_numbers(sizes.k, sizes.n);
    std::array<double, turns> loop{};
    std::array<double, turns> library{};
    seconds(MatmulMethod::library, a, b);  // the first call compiles the product
    for (std::size_t turn = 0; turn < turns; ++turn) {
        loop[turn] = seconds(MatmulMethod::loop, a, b);
        library[turn] = seconds(MatmulMethod::library, a, b);
    }
    const double slow = median(loop);
    const double fast = median(library);
    // To standard error: JSON or CSV on standard output stays what it is.
    fmt::print(stderr,
               "library/loop at 512x512x512: {:.1f} times as fast ({:.2f} ms against {:.2f} ms, "
               "medians of {} turns)\n",
               slow / fast, fast * 1e3, slow * 1e3, turns);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return static_cast<int>(ExitCode::usage);
    return run_guarded([] {
        add_all();
        benchmark::RunSpecifiedBenchmarks();
        benchmark::Shutdown();
        compare_at_512();
        return ExitCode::success;
    });
}
