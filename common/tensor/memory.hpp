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

/// So many numbers, with any values, for what is read from end to end again and again: at an
/// address, and where the system can in pages, that are 2 MiB large, so that a processor does not
/// lose time with finding where a page lies. Throws std::bad_alloc.
std::shared_ptr<Real[]> numbers_in_large_pages(std::size_t count);

/// The most memory that this program held at a time, in bytes. Without Linux's /proc it is what
/// getrusage() says, which may be the memory of the program that started this one.
double peak_memory();

}  // namespace bert
