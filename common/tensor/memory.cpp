#include "common/tensor/memory.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace bert {

void keep_freed_memory() {
#ifdef M_TRIM_THRESHOLD
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that it takes
#endif
}

}  // namespace bert
