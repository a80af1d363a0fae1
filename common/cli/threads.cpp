#include "common/cli/threads.hpp"

#include <fmt/core.h>
#include <omp.h>

#include <atomic>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

// So many threads at one time, for a moment.
void try_threads(int count) {
    std::latch gate{1};
    std::vector<std::jthread> threads;  // joined after the gate is open
    const struct Opener {
        std::latch& gate;
        ~Opener() { gate.count_down(); }
    } opener{gate};
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&gate] { gate.wait(); });
}

}  // namespace

void start_threads() {
    const int count = omp_get_max_threads();
    try {
        try_threads(count - 1);
    } catch (const std::system_error& e) {
        throw IoError{
            fmt::format("cannot start {} threads ({}): --threads N or OMP_NUM_THREADS=N "
                        "takes fewer",
                        count, e.code().message())};
    }
    std::atomic<int> started{0};
#pragma omp parallel
    ++started;
}

}  // namespace bert
