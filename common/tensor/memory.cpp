#include "common/tensor/memory.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <new>
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

double peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        double kilobytes = 0;
        if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
    }
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace bert
