// Memory that tensors give back stays with the program; memory in large pages; the most in use.
#pragma once

#include <cstddef>
#include <memory>

#include "common/tensor/tensor.hpp"

namespace bert {

/// A training step allocates and frees the same hundreds of megabytes again and again. By default
/// the system's allocator returns large blocks to the kernel, which clears them before it hands
/// them out anew: a quarter of the time of a step. After this call up to 512 MiB of freed memory
/// are kept. Programs call it once, at the start; does nothing where the C library is not GNU's.
void keep_freed_memory();

/// For programs with a limit on addresses (ulimit -v), else nothing: one heap for all threads,
/// since each thread's own would reserve 64 MiB of the few. Programs call it once, before any
/// thread.
void spare_addresses();

/// Throws std::bad_alloc where such a limit leaves less than 64 MiB. For work of libraries that
/// would crash where memory ends.
void require_addresses();

/// The most memory that the program has had at a time, in bytes. (The system's other count of it,
/// ru_maxrss, begins with that of the program that started this one.)
double peak_memory();

/// So many numbers, with any values, for what is read from end to end again and again: at an
/// address, and where the system can in pages, that are 2 MiB large, so that a processor does not
/// lose time with finding where a page lies. Throws std::bad_alloc.
std::shared_ptr<Real[]> numbers_in_large_pages(std::size_t count);

}  // namespace bert
