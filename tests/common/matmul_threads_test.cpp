#include <omp.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <vector>

#include "common/tensor/matmul.hpp"
#include "tests/common/matmul_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/threads.hpp"

using namespace bert;
using test::FormResult;
using test::MatmulCase;
using test::MatmulOperands;
using test::sanitized;
using test::ThreadsGuard;

namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

bool same_bytes(const std::vector<FormResult>& a, const std::vector<FormResult>& b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i) {
        INFO(a[i].form);
        same = same_bytes(a[i].product, b[i].product);
        CHECK(same);
    }
    return same;
}

// Sets the number of threads of the calling thread's parallel regions; puts the old one back.
std::size_t resident_bytes() {
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("matmul: 1 and 2 and 3 and 7 threads give the same bytes", "[matmul]") {
    for (const MatmulCase& c : test::matmul_cases()) {
        const MatmulOperands x = test::operands(c);
        std::vector<FormResult> alone;
        {
            const ThreadsGuard guard(1);
            alone = test::every_form(x);
        }
        for (const int threads : {2, 3, 7}) {
            const ThreadsGuard guard(threads);
            INFO(test::to_string(c) << " with " << threads << " threads");
            CHECK(same_bytes(test::every_form(x), alone));
            CHECK(omp_get_max_threads() == threads);
        }
    }
}

TEST_CASE("matmul: a call from inside a parallel region gives the same bytes", "[matmul]") {
    for (const MatmulCase& c : test::matmul_cases()) {
        const MatmulOperands x = test::operands(c);
        const std::vector<FormResult> outside = test::every_form(x);
        constexpr std::size_t callers = 3;
        std::vector<std::vector<FormResult>> inside(callers);
#pragma omp parallel for num_threads(callers)
        for (std::size_t i = 0; i < callers; ++i)
            inside[i] = test::every_form(x);
        for (const std::vector<FormResult>& results : inside) {
            INFO(test::to_string(c));
            CHECK(same_bytes(results, outside));
        }
    }
}

TEST_CASE("matmul: the place of a matrix in memory changes no bit", "[matmul]") {
    // Odd sizes put the matrices of a batch at every offset from a multiple of 64 bytes.
    const MatmulCase c{{16}, 67, 33, 259};
    const MatmulOperands x = test::operands(c);
    const Tensor products = matmul(x.a, x.b);
    for (std::size_t i = 0; i < 16; ++i) {
        INFO("matrix " << i);
        const Tensor a = reshape(slice(x.a, 0, i, i + 1), {c.m, c.k});
        const Tensor b = reshape(slice(x.b, 0, i, i + 1), {c.k, c.n});
        const Tensor expected = reshape(slice(products, 0, i, i + 1), {c.m, c.n});
        CHECK(same_bytes(matmul(a, b), expected));
    }
}

TEST_CASE("matmul: products of very many shapes do not fill the memory", "[matmul]") {
    const auto multiply_many = [](std::size_t first) {
        for (std::size_t size = first; size < first + 1500; ++size)
            matmul(Tensor(Shape{1 + size % 7, size}), Tensor(Shape{size, 1 + size % 5}));
    };
    multiply_many(1);  // fills what remembers shapes
    const std::size_t before = resident_bytes();
    multiply_many(1501);
    const std::size_t after = resident_bytes();
    const std::size_t growth = after > before ? after - before : 0;
    std::cout << "matmul, 1500 more shapes: memory grown by " << growth / 1024 << " KiB\n";
    constexpr std::size_t most = sanitized ? 512 : 64;  // largest seen: 106 and 14
    CHECK(growth < most * 1024 * 1024);
}
