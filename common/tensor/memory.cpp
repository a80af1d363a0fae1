#include "common/tensor/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <string>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace bert {

void keep_freed_memory() {
#ifdef M_TRIM_THRESHOLD
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that it takes
#endif
}

namespace {

// The limit in bytes; nothing: there is none.
std::optional<std::uint64_t> address_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    return limit.rlim_cur;
}

}  // namespace

void spare_addresses() {
#ifdef M_ARENA_MAX
    if (address_limit()) mallopt(M_ARENA_MAX, 1);
#endif
}

void require_addresses() {
    constexpr std::uint64_t least = std::uint64_t{64} << 20;
    const std::optional<std::uint64_t> limit = address_limit();
    if (!limit) return;
    std::uint64_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;  // 0 where there is no such file
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    if (pages * page + least > *limit) throw std::bad_alloc{};
}

double peak_memory() {
    std::ifstream status{"/proc/self/status"};
    std::string line;
    while (std::getline(status, line))
        if (line.starts_with("VmHWM:")) return 1024 * std::strtod(line.c_str() + 6, nullptr);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024 * static_cast<double>(usage.ru_maxrss);
}

std::shared_ptr<Real[]> numbers_in_large_pages(std::size_t count) {
    constexpr std::size_t page = std::size_t{2} << 20;
    if (count > (std::size_t{1} << 60)) throw std::bad_alloc{};
    const std::size_t bytes = count * sizeof(Real);
    const std::size_t alignment = bytes < page ? 64 : page;
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void* const numbers = std::aligned_alloc(alignment, whole);
    if (numbers == nullptr) throw std::bad_alloc{};
#ifdef MADV_HUGEPAGE
    // Whole large pages only: the rest would take one for little. A system that has none says no.
    if (bytes >= page) madvise(numbers, bytes / page * page, MADV_HUGEPAGE);
#endif
    return {static_cast<Real*>(numbers), std::free};
}

}  // namespace bert
